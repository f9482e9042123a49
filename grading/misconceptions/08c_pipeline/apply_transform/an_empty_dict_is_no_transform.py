# What a student believed: A dict without columns is no transform.
# caught by: test_apply_transform
# reads: A dict chooses the columns: the result has those that it names, in its order.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if not transform:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    return transform(row, **kwargs)
