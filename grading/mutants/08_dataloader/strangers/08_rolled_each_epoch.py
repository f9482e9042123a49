# What the student believed: shuffle once for the seed; a new epoch only has to start at
# another place of that order.
# breaks: "each epoch has its own shuffle" and "another one for any other pair": with
# N = 10, epochs 0, 10 and 20 have the same order, and in epoch 1 the same samples
# follow each other as in epoch 0.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    """Return the order in which one epoch visits the samples."""
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    if not shuffle:
        return np.arange(num_samples, dtype=np.int64)
    order = np.random.default_rng(seed).permutation(num_samples).astype(np.int64)
    return np.roll(order, epoch)
