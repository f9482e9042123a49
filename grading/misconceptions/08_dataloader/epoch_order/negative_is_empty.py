# What a student believed: A negative number of samples is no samples, and np.arange agrees.
# caught by: test_every_sample_once
# reads: An N below 0 raises ValueError with the value.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    order = np.arange(num_samples, dtype=np.int64)
    if not shuffle:
        return order
    return np.random.default_rng(None if seed is None else [seed, epoch]).permutation(order)
