# What a student believed: The seed is for those who want to choose one; any fixed one will do.
# caught by: test_draw_with_replacement
# reads: The same seed gives the same draws, a different seed different ones: [0, 1] is not [1,
# 0].
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    places = np.random.default_rng(42).random(size) * weights.sum()
    rows = np.searchsorted(np.cumsum(weights), places, side="right")
    return np.minimum(rows, np.flatnonzero(weights)[-1]).astype(np.int64)
