# What the student believed: `not transform` asks whether there is a transform.
# breaks: "a dict: a new dict with the columns that the transform names";
# apply_transform({"x": 1}, {}, {}) must be {}, here it is {"x": 1}.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if not transform:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if function is None else function(row[name])
            for name, function in transform.items()
        }
    return transform(row, **kwargs)
