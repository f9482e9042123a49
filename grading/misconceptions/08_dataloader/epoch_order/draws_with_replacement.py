# What a student believed: A random order is a random index for every position.
# caught by: test_every_sample_once
# reads: An order is an int64 array that holds every index 0..N-1 once.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    if not shuffle:
        return np.arange(num_samples, dtype=np.int64)
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    return rng.integers(0, num_samples, size=num_samples)
