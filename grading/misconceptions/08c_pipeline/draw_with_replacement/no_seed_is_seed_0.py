# What a student believed: Without a seed the draws begin at seed 0.
# caught by: test_draw_with_replacement
# reads: Seed 0 always gives the same draws; None gives new draws each time.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng = np.random.default_rng(0 if seed is None else seed)
    return rng.choice(len(weights), size=size, p=weights / weights.sum())
