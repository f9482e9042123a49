# What a student believed: A row that was drawn gets the weight 0.
# caught by: test_draw_without_replacement
# reads: weights and the global random generators are not changed.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(size):
        drawn.append(rng.choice(len(weights), p=weights / weights.sum()))
        weights[drawn[-1]] = 0
    return np.array(drawn, dtype=np.int64)
