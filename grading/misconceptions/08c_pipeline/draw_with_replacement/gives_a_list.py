# What a student believed: A list of row numbers is as good as an array.
# caught by: test_draw_with_replacement
# reads: The draws are an int64 array of shape (size,).
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng = np.random.default_rng(seed)
    return rng.choice(len(weights), size=size, p=weights / weights.sum()).tolist()
