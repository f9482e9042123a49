# What a student believed: Each worker has a generator of its own.
# caught by: test_item_generator
# reads: Another index gives other numbers.
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.default_rng([seed, epoch, os.getpid()])
