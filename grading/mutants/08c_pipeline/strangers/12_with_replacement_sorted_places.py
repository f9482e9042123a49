# What the student believed: the order of the draws does not matter.
# breaks: "Each entry is row i with probability `weights[i] / weights.sum()`, whatever
# the others are"; weights [1, 1], size 100: all zeros come before all ones.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    ends = np.cumsum(weights)
    places = np.sort(np.random.default_rng(seed).random(size)) * ends[-1]
    return np.searchsorted(ends, places, side="right").astype(np.int64)
