# What a student believed: A function that gives nothing leaves its column as it is.
# caught by: test_apply_transform
# reads: Whatever a function returns is the result, even None or 0.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: (change and change(row[name])) or row[name] for name, change in transform.items()
        }
    return transform(row, **kwargs)
