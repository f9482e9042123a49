# What a student believed: Who gives a seed wants a shuffle.
# caught by: test_every_sample_once
# reads: Not shuffled, it is 0, 1, ..., N-1, whatever the seed and the epoch.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle or seed is not None:
        np.random.default_rng(None if seed is None else [seed, epoch]).shuffle(order)
    return order
