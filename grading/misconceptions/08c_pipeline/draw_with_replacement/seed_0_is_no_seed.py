# What a student believed: `seed or None` stands for `if seed is given`.
# caught by: test_draw_with_replacement
# reads: Seed 0 always gives the same draws; None gives new draws each time.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng = np.random.default_rng(seed or None)
    return rng.choice(len(weights), size=size, p=weights / weights.sum())
