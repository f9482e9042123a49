# What a student believed: rng.permutation shuffles the array that it is given.
# caught by: test_every_sample_once
# reads: Shuffled, all N! orders are possible.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        np.random.default_rng(None if seed is None else [seed, epoch]).permutation(order)
    return order
