# What a student believed: Weights are probabilities, so the line ends at 1.
# caught by: test_draw_with_replacement
# reads: Each draw is row i with probability weights[i] / weights.sum().
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    ends = np.cumsum(weights)
    rows = np.searchsorted(ends, np.random.default_rng(seed).random(size), side="right")
    return np.minimum(rows, np.flatnonzero(weights)[-1]).astype(np.int64)
