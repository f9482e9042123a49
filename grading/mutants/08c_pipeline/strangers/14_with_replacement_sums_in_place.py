# What the student believed: np.asarray has made a copy, so it may be overwritten.
# breaks: what any caller expects (in a loader the second epoch draws by other
# weights); w = np.array([5.0, 0, 10]); draw_with_replacement(w, 1, 0); w is [5, 5, 15].
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    np.cumsum(weights, out=weights)
    places = np.random.default_rng(seed).random(size) * weights[-1]
    return np.searchsorted(weights, places, side="right").astype(np.int64)
