# What a student believed: np.random.seed is how one makes a shuffle repeatable.
# caught by: test_every_sample_once
# reads: The global generators are left alone: no number is drawn from them, and no seed is set.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        np.random.seed(None if seed is None else [seed, epoch])
        np.random.shuffle(order)
    return order
