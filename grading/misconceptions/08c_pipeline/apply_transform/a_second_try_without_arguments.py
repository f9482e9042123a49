# What a student believed: A TypeError says that the function takes no arguments.
# caught by: test_apply_transform
# reads: An error of a transform reaches the caller unchanged, without a retry.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    try:
        return transform(row, **kwargs)
    except TypeError:
        return transform(row)
