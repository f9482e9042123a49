# What a student believed: np.asarray made a copy, so the weights may be divided in place.
# caught by: test_draw_with_replacement
# reads: weights and the global random generators are not changed.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    weights /= weights.sum()
    return np.random.default_rng(seed).choice(len(weights), size=size, p=weights)
