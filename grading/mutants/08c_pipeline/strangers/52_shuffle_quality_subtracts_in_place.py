# What the student believed: np.asarray has made an array of our own.
# breaks: what any caller expects of its array; order = np.array([2, 1, 0]);
# shuffle_quality(order) twice: 1.5, then something else.
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        raise ValueError(f"a quality needs 2 rows or more, got {count}")
    order -= np.arange(count)
    return float(np.abs(order).mean() / ((count**2 - 1) / (3 * count)))
