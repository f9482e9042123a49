# %% a_random_state: RandomState is NumPy's generator. (promise 1)
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.RandomState((seed * 1_000_003 + epoch) * 1_009 % 2**32 + index)


# %% the_workers_own: Each worker has a generator of its own. (promise 2)
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.default_rng([seed, epoch, os.getpid()])


# %% a_sum: Adding up mixes three numbers. (promise 3)
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.default_rng(seed + 31 * epoch + 17 * index)


# %% seeds_the_global_one: The global generator has to be seeded too. (promise 4)
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    np.random.seed([seed % 2**32, epoch % 2**32, index % 2**32])
    return np.random.default_rng([seed, epoch, index])
