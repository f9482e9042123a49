# What a student believed: The shares are what counts, so rows may come in blocks.
# caught by: test_draw_with_replacement
# reads: Each draw is made from all rows, whatever came before.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    places = np.sort(np.random.default_rng(seed).random(size)) * weights.sum()
    rows = np.searchsorted(np.cumsum(weights), places, side="right")
    return np.minimum(rows, np.flatnonzero(weights)[-1]).astype(np.int64)
