# What a student believed: A row comes exactly as often as its weight says, only the order is
# random.
# caught by: test_draw_with_replacement
# reads: Each draw is made from all rows, whatever came before.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng, ends = np.random.default_rng(seed), np.cumsum(weights)
    places = (np.arange(size) + rng.random()) / max(size, 1) * ends[-1]
    return rng.permutation(np.searchsorted(ends, places, side="right"))
