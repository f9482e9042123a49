# What a student believed: None means that the column is not wanted.
# caught by: test_apply_transform
# reads: None in a dict keeps the value of its column.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):

    if transform is None:
        return row
    if isinstance(transform, dict):
        return {name: change(row[name]) for name, change in transform.items() if change is not None}
    return transform(row, **kwargs)
