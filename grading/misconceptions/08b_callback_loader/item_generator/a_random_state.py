# What a student believed: RandomState is NumPy's generator.
# caught by: test_item_generator
# reads: It returns an np.random.Generator.
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.RandomState((seed * 1_000_003 + epoch) * 1_009 % 2**32 + index)
