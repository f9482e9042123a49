# What a student believed: No seed means the default seed, 0.
# caught by: test_every_sample_once
# reads: Shuffled without a seed, each call gives another order.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if not shuffle:
        return order
    return np.random.default_rng([seed or 0, epoch]).permutation(order)
