# What a student believed: What was made once need not be made again.
# caught by: test_item_generator
# reads: The same seed, epoch and index give the same numbers, whatever was drawn in between.
_made = {}


def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    if (seed, epoch, index) not in _made:
        _made[seed, epoch, index] = np.random.default_rng([seed, epoch, index])
    return _made[seed, epoch, index]
