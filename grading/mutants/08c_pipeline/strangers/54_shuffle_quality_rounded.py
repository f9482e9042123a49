# What the student believed: nobody needs more than two digits.
# breaks: "the mean of |order[k] - k| over all k, divided by (N² - 1) / (3 N)";
# [1, 0, 2, ..., 999] gives 0.0, although two rows have moved.
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        raise ValueError(f"a quality needs 2 rows or more, got {count}")
    distance = np.abs(order - np.arange(count)).mean()
    return round(float(distance / ((count**2 - 1) / (3 * count))), 2)
