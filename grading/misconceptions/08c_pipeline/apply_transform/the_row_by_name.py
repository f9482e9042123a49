# What a student believed: A function of the row has a parameter for it with this name.
# caught by: test_apply_transform
# reads: A function of the row is called once, as transform(row, **kwargs).
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    return transform(row=row, **kwargs)
