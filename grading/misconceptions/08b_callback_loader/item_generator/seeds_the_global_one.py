# What a student believed: The global generator has to be seeded too.
# caught by: test_item_generator
# reads: It does not change the global generators of np.random and random.
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    np.random.seed([seed % 2**32, epoch % 2**32, index % 2**32])
    return np.random.default_rng([seed, epoch, index])
