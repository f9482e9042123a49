# What a student believed: Each worker has a generator of its own.
# caught by: test_item_generator
# reads: The same seed, epoch and index give the same numbers, whatever was drawn in between.
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.default_rng([seed, epoch, os.getpid()])
