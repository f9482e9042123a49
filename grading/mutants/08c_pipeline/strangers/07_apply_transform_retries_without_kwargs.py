# What the student believed: a function that takes no kwargs should work as well.
# breaks: "a function: whatever `transform(row, **kwargs)` returns"; a TypeError of
# `def f(row, k=0): return row["x"] + ("a" if k else 1)` with {"k": 1} must pass.
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: function(row[name]) if function is not None else row[name]
            for name, function in transform.items()
        }
    try:
        return transform(row, **kwargs)
    except TypeError:
        return transform(row)
