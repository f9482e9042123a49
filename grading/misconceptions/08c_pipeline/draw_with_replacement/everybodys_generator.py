# What a student believed: np.random.seed makes draws repeatable.
# caught by: test_draw_with_replacement
# reads: weights and the global random generators are not changed.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    np.random.seed(seed)
    return np.random.choice(len(weights), size=size, p=weights / weights.sum()).astype(np.int64)
