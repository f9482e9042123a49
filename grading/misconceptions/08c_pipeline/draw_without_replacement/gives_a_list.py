# What a student believed: A list of row numbers is as good as an array.
# caught by: test_draw_without_replacement
# reads: The draws are an int64 array of shape (size,).
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng = np.random.default_rng(seed)
    keys = np.log(rng.random(len(rows))) / weights[rows]
    return rows[np.argsort(-keys)[:size]].tolist()
