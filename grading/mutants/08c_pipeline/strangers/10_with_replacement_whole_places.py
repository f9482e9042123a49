# What the student believed: a place on the wheel is one of 0..total-1.
# breaks: "Each entry is row i with probability `weights[i] / weights.sum()`";
# weights [0.5, 0.5] give only row 0 ([5, 0, 10] is fine).
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    ends = np.cumsum(weights)
    rng = np.random.default_rng(seed)
    places = rng.integers(0, int(np.ceil(ends[-1])), size)
    return np.searchsorted(ends, places, side="right").astype(np.int64)
