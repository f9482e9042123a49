# What a student believed: searchsorted finds the slot without `side`.
# caught by: test_draw_with_replacement
# reads: A row of weight 0 never comes.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    ends = np.cumsum(weights)
    places = np.random.default_rng(seed).random(size) * ends[-1]
    return np.searchsorted(ends, places).astype(np.int64)
