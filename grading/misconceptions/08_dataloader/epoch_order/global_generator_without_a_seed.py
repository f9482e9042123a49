# What a student believed: Without a seed any generator will do, also NumPy's own.
# caught by: test_every_sample_once
# reads: The global generators are left alone: no number is drawn from them, and no seed is set.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    if not shuffle:
        return np.arange(num_samples, dtype=np.int64)
    if seed is None:
        return np.random.permutation(num_samples).astype(np.int64)
    return np.random.default_rng([seed, epoch]).permutation(num_samples).astype(np.int64)
