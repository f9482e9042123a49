# What a student believed: No training has 1,000,003 seeds, so seed + 1,000,003 * epoch is a number
# of its own.
# caught by: test_every_sample_once
# reads: Another (seed, epoch) gives another order: epoch 1 of seed 0 differs from epoch 0 of seed
# 1.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        mixed = None if seed is None else seed + 1_000_003 * epoch
        np.random.default_rng(mixed).shuffle(order)
    return order
