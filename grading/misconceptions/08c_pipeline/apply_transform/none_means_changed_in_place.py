# What a student believed: A function that returns None has changed the row itself.
# caught by: test_apply_transform
# reads: Whatever a function returns is the result, even None or 0.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    result = transform(row, **kwargs)
    return row if result is None else result
