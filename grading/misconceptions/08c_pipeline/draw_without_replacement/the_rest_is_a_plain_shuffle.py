# What a student believed: The weights decide who comes first; the others follow at random.
# caught by: test_draw_without_replacement
# reads: Each following draw is made likewise among the rows that are left.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng = np.random.default_rng(seed)
    if not size:
        return rows[:0]
    first = rng.choice(len(weights), p=weights / weights.sum())
    return np.array([first, *rng.permutation(rows[rows != first])[: size - 1]])
