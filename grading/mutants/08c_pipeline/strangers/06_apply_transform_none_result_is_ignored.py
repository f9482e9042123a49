# What the student believed: a function that returns None worked in place.
# breaks: "a dict with a function for each column" (only the *transform* None "keeps
# the value"); apply_transform({"s": 7}, {"s": lambda s: None}, {}) must be {"s": None}.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        result = {}
        for name, function in transform.items():
            value = None if function is None else function(row[name])
            result[name] = row[name] if value is None else value
        return result
    return transform(row, **kwargs)
