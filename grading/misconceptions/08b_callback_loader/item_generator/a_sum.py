# What a student believed: Adding up mixes three numbers.
# caught by: test_item_generator
# reads: If the seed, the epoch or the index differs, the numbers differ.
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.default_rng(seed + 31 * epoch + 17 * index)
