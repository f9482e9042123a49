# What the student believed: half the memory is enough for the ends of the slots.
# breaks: "Each entry is row i with probability `weights[i] / weights.sum()`";
# weights [2**24] + [1] * 10**6 give only row 0 (5.6% should be others).
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    ends = np.cumsum(weights, dtype=np.float32)
    places = np.random.default_rng(seed).random(size) * ends[-1]
    rows = np.searchsorted(ends, places.astype(np.float32), side="right")
    return np.minimum(rows, np.flatnonzero(weights)[-1]).astype(np.int64)
