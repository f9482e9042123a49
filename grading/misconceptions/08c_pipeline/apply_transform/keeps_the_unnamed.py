# What a student believed: Columns that the transform does not name stay as they are.
# caught by: test_apply_transform
# reads: A dict chooses the columns: the result has those that it names, in its order.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):

    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: transform[name](value) if transform.get(name) else value
            for name, value in row.items()
        }
    return transform(row, **kwargs)
