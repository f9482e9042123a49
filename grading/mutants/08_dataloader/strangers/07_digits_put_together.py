# What the student believed: writing the epoch behind the seed gives every pair a number
# of its own.
# breaks: "another one for any other pair": seed 1 in epoch 11 and seed 11 in epoch 1
# both become 111, and so have the same order.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    """Return the order in which one epoch visits the samples."""
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    if not shuffle:
        return np.arange(num_samples, dtype=np.int64)
    number = None if seed is None else int(f"{seed}{epoch}")
    return np.random.default_rng(number).permutation(num_samples).astype(np.int64)
