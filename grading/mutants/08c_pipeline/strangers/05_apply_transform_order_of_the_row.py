# What the student believed: the columns of the result stand as in the row.
# breaks: "the columns that the transform names, in **its** order"; the keys of
# apply_transform({"x": 3, "y": 5}, {"y": None, "x": abs}, {}) must be y, x.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if not isinstance(transform, dict):
        return transform(row, **kwargs)
    result = {}
    for name, value in row.items():
        if name in transform:
            function = transform[name]
            result[name] = value if function is None else function(value)
    return result
