# What a student believed: The same order need not be made twice, so it is kept.
# caught by: test_every_sample_once
# reads: Each call returns an array of its own: writing into it changes no later order.
orders_made = {}


def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    if shuffle and seed is None:
        return np.random.default_rng().permutation(num_samples)
    call = (num_samples, shuffle, seed, epoch)
    if call not in orders_made:
        order = np.arange(num_samples, dtype=np.int64)
        if shuffle:
            np.random.default_rng([seed, epoch]).shuffle(order)
        orders_made[call] = order
    return orders_made[call]
