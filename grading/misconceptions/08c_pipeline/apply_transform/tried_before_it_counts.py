# What a student believed: A column whose function gives None is left out.
# caught by: test_apply_transform
# reads: A function in a dict is called once, with the value of its column.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
            if change is None or change(row[name]) is not False
        }
    return transform(row, **kwargs)
