# What a student believed: np.asarray makes a copy.
# caught by: test_shuffle_quality
# reads: order is not changed.
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        raise ValueError(f"a quality needs 2 rows or more, got {count}")
    order -= np.arange(count)
    return float(np.abs(order).mean() / ((count**2 - 1) / (3 * count)))
