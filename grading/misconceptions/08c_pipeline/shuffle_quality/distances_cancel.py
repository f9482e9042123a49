# What a student believed: The mean of the differences says how far rows have moved.
# caught by: test_shuffle_quality
# reads: Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).
def shuffle_quality(order: Sequence[int]) -> float:

    if len(order) < 2:
        raise ValueError(f"at least 2 rows, got {len(order)}")
    count = len(order)
    return float(
        (np.asarray(order, np.int64) - np.arange(count)).mean() / ((count**2 - 1) / (3 * count))
    )
