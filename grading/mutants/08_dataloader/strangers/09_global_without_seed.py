# What the student believed: without a seed nothing is promised, so NumPy's own
# np.random will do.
# breaks: "The global generator is left alone" and "Shuffled without a seed: another
# order each time": after np.random.seed(0), epoch_order(20, True) repeats, and it
# moves the state of np.random.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    """Return the order in which one epoch visits the samples."""
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    if not shuffle:
        return np.arange(num_samples, dtype=np.int64)
    if seed is None:
        return np.random.permutation(num_samples).astype(np.int64)
    return np.random.default_rng([seed, epoch]).permutation(num_samples)
