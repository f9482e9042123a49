# What a student believed: An order is shuffled when it starts at a random sample and goes round
# from there.
# caught by: test_every_order_is_possible
# reads: Shuffled, all N! orders are possible.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if not shuffle:
        return order
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    return np.roll(order, rng.integers(1, num_samples) if num_samples > 1 else 0)
