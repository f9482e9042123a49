# What a student believed: The first number of a seed is the seed.
# caught by: test_draw_with_replacement
# reads: The same seed gives the same draws, a different seed different ones: [0, 1] is not [1,
# 0].
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng = np.random.default_rng(seed[0] if isinstance(seed, list) else seed)
    return rng.choice(len(weights), size=size, p=weights / weights.sum())
