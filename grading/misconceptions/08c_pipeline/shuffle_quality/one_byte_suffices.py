# What a student believed: Places are small numbers, so a byte is enough for each.
# caught by: test_shuffle_quality
# reads: The old order has quality 0, a full shuffle about 1, whatever its length.
def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        raise ValueError(f"two rows are needed to mix them, got {count}")
    moved = np.abs(order.astype(np.int8) - np.arange(count).astype(np.int8)).astype(float).mean()
    return float(moved / ((count**2 - 1) / (3 * count)))
