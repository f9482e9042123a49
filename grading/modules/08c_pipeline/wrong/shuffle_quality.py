# %% distances_cancel: The mean of the differences says how far rows have moved.
# (promise 1)
def shuffle_quality(order: Sequence[int]) -> float:
    if len(order) < 2:
        raise ValueError(f"at least 2 rows, got {len(order)}")
    count = len(order)
    return float(
        (np.asarray(order, np.int64) - np.arange(count)).mean() / ((count**2 - 1) / (3 * count))
    )


# %% one_byte_suffices: Places are small numbers, so a byte is enough for each. (promise
# 2)
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        raise ValueError(f"two rows are needed to mix them, got {count}")
    moved = np.abs(order.astype(np.int8) - np.arange(count).astype(np.int8)).astype(float).mean()
    return float(moved / ((count**2 - 1) / (3 * count)))


# %% one_row_is_not_mixed: One row cannot move, so its quality is 0. (promise 3)
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        return 0.0
    return float(np.abs(order - np.arange(count)).mean() / ((count**2 - 1) / (3 * count)))


# %% subtracts_in_place: np.asarray makes a copy. (promise 4)
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        raise ValueError(f"a quality needs 2 rows or more, got {count}")
    order -= np.arange(count)
    return float(np.abs(order).mean() / ((count**2 - 1) / (3 * count)))
