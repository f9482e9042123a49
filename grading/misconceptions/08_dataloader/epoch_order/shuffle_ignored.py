# What a student believed: An epoch is always in random order; `shuffle` is for the loader to look
# at.
# caught by: test_every_sample_once
# reads: Not shuffled, it is 0, 1, ..., N-1, whatever the seed and the epoch.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    return rng.permutation(num_samples).astype(np.int64)
