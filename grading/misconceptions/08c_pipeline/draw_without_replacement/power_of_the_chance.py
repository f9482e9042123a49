# What a student believed: u ** (1 / weight) has the same order as its logarithm.
# caught by: test_draw_without_replacement
# reads: The first draw is row i with probability weights[i] / weights.sum().
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng = np.random.default_rng(seed)
    keys = rng.random(len(rows)) ** (1 / weights[rows])
    return rows[np.argsort(-keys)[:size]]
