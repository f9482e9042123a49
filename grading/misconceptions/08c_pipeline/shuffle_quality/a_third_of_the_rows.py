# What a student believed: A full shuffle moves a row by a third of the dataset.
# caught by: test_shuffle_quality
# reads: Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        raise ValueError(f"two rows are needed to mix them, got {count}")
    return float(np.abs(order - np.arange(count)).mean() / (count / 3))
