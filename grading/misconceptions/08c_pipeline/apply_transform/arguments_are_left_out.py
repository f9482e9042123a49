# What a student believed: A transform needs nothing but the row.
# caught by: test_apply_transform
# reads: A function is called with the whole row and the kwargs, and what it returns is the result.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):

    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    return transform(row)
