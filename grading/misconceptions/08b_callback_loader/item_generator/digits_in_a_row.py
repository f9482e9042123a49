# What a student believed: Digits in a row are one number for each three.
# caught by: test_item_generator
# reads: If the seed, the epoch or the index differs, the numbers differ.
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.default_rng(int(f"{seed}{epoch}{index}"))
