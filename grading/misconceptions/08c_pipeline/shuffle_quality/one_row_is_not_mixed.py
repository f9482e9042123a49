# What a student believed: One row cannot move, so its quality is 0.
# caught by: test_shuffle_quality
# reads: Fewer than 2 rows raise ValueError with the number.
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        return 0.0
    return float(np.abs(order - np.arange(count)).mean() / ((count**2 - 1) / (3 * count)))
