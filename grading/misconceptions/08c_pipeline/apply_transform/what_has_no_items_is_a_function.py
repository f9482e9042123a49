# What a student believed: An AttributeError says that the transform is no dict.
# caught by: test_apply_transform
# reads: What a transform raises reaches the caller unchanged, once.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    try:
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    except AttributeError:
        return transform(row, **kwargs)
