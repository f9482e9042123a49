# What a student believed: An AttributeError says that the transform is no dict.
# caught by: test_apply_transform
# reads: An error of a transform reaches the caller unchanged, without a retry.
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
