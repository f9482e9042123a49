# What the student believed: returning a new dict is enough to leave the row alone.
# breaks: "The row that is passed is not changed."; row = {"x": -3, "y": 1};
# apply_transform(row, {"x": abs}, {}); row["x"] is now 3.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        for name, function in transform.items():
            if function is not None:
                row[name] = function(row[name])
        return {name: row[name] for name in transform}
    return transform(row, **kwargs)
