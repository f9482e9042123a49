# What a student believed: `if seed:` asks whether there is a seed.
# caught by: test_every_sample_once
# reads: The same (seed, epoch) gives the same order each time, for seed 0 too; the default epoch
# is 0.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        np.random.default_rng([seed, epoch] if seed else None).shuffle(order)
    return order
