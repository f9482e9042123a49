# What the student believed: fewer than two rows means no rows.
# breaks: "Fewer than 2 rows raise `ValueError` with the number."; shuffle_quality([0])
# is a ZeroDivisionError.
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = order.size
    if not count:
        raise ValueError(f"a quality needs 2 rows or more, got {count}")
    moved = int(np.abs(order - np.arange(count)).sum()) / count
    return moved / ((count**2 - 1) / (3 * count))
