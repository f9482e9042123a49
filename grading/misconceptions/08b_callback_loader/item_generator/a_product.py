# What a student believed: Multiplying mixes three numbers.
# caught by: test_item_generator
# reads: If the seed, the epoch or the index differs, the numbers differ.
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.default_rng((seed + 1) * (epoch + 1) * (index + 1))
