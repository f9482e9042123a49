# What a student believed: Every function gets the arguments, also that of a column.
# caught by: test_apply_transform
# reads: A dict ignores kwargs.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):

    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name], **kwargs)
            for name, change in transform.items()
        }
    return transform(row, **kwargs)
