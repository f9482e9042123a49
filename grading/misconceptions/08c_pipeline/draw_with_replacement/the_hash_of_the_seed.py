# What a student believed: hash() makes one number of any seed.
# caught by: test_draw_with_replacement
# reads: The same seed gives the same draws, a different seed different ones: [0, 1] is not [1,
# 0].
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng = np.random.default_rng(None if seed is None else abs(hash(str(seed))))
    return rng.choice(len(weights), size=size, p=weights / weights.sum())
