# %% keeps_the_unnamed: Columns that the transform does not name stay as they are.
# (promises 2, 3)
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: transform[name](value) if transform.get(name) else value
            for name, value in row.items()
        }
    return transform(row, **kwargs)


# %% none_leaves_out: None means that the column is not wanted. (promise 4)
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {name: change(row[name]) for name, change in transform.items() if change is not None}
    return transform(row, **kwargs)


# %% arguments_for_each_column: Every function gets the arguments, also that of a
# column. (promise 5)
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name], **kwargs)
            for name, change in transform.items()
        }
    return transform(row, **kwargs)


# %% arguments_are_left_out: A transform needs nothing but the row. (promise 6)
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    return transform(row)


# %% none_means_changed_in_place: A function that returns None has changed the row
# itself. (promise 7)
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


# %% changes_the_row: The row belongs to the loader, so it may be changed in place.
# (promise 8)
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if isinstance(transform, dict):
        for name, change in transform.items():
            if change is not None:
                row[name] = change(row[name])
        return {name: row[name] for name in transform}
    return transform(row, **kwargs)
