# What a student believed: No transform names no columns, so none come out.
# caught by: test_apply_transform
# reads: Without a transform (None) the row is returned unchanged.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):

    if callable(transform):
        return transform(row, **kwargs)
    return {
        name: row[name] if change is None else change(row[name])
        for name, change in (transform or {}).items()
    }
