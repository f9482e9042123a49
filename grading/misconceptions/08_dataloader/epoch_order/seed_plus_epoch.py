# What a student believed: seed + epoch is another number for each seed and each epoch.
# caught by: test_every_sample_once
# reads: Another (seed, epoch) gives another order: epoch 1 of seed 0 differs from epoch 0 of seed
# 1.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if not shuffle:
        return order
    rng = np.random.default_rng() if seed is None else np.random.default_rng(seed + epoch)
    return rng.permutation(order)
