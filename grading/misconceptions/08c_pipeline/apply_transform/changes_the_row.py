# What a student believed: The row belongs to the loader, so it may be changed in place.
# caught by: test_apply_transform
# reads: The row that is passed is not changed.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):

    if transform is None:
        return row
    if isinstance(transform, dict):
        for name, change in transform.items():
            if change is not None:
                row[name] = change(row[name])
        return {name: row[name] for name in transform}
    return transform(row, **kwargs)
