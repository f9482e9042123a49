# What a student believed: No row should be left out for ever, so a weight is at least 1.
# caught by: test_draw_with_replacement
# reads: Each draw is row i with probability weights[i] / weights.sum().
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    weights = np.maximum(weights, 1)
    rng = np.random.default_rng(seed)
    return rng.choice(len(weights), size=size, p=weights / weights.sum())
