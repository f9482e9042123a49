# What a student believed: What a function returns belongs into the row.
# caught by: test_apply_transform
# reads: The row that is passed is not changed.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    result = transform(row, **kwargs)
    if isinstance(result, dict):
        row.update(result)
    return result
