# What a student believed: One generator for the epoch, from which each item draws.
# caught by: test_item_generator
# reads: The same seed, epoch and index give the same numbers, whatever was drawn in between.
_kept = {}


def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return _kept.setdefault((seed, epoch), np.random.default_rng([seed, epoch]))
