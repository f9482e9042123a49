# %% draws_with_replacement: A random order is a random index for every position.
# (promises 1, 7)
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    if not shuffle:
        return np.arange(num_samples, dtype=np.int64)
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    return rng.integers(0, num_samples, size=num_samples)


# %% permutation_works_in_place: rng.permutation shuffles the array that it is given.
# (promise 3)
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        np.random.default_rng(None if seed is None else [seed, epoch]).permutation(order)
    return order


# %% seed_zero_is_no_seed: `if seed:` asks whether there is a seed. (promise 4)
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        np.random.default_rng([seed, epoch] if seed else None).shuffle(order)
    return order


# %% same_shuffle_every_epoch: The seed fixes the order, so the epoch has no say in it.
# (promise 5)
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        np.random.default_rng(seed).shuffle(order)
    return order


# %% seed_plus_epoch: seed + epoch is another number for each seed and each epoch.
# (promise 5)
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


# %% no_seed_is_seed_zero: No seed means the default seed, 0. (promise 6)
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if not shuffle:
        return order
    return np.random.default_rng([seed or 0, epoch]).permutation(order)


# %% global_generator_reseeded: np.random.seed is how one makes a shuffle repeatable.
# (promise 9)
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
