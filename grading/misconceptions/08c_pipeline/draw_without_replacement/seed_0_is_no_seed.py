# What a student believed: `seed or None` stands for `if seed is given`.
# caught by: test_draw_without_replacement
# reads: Seed 0 always gives the same draws; None gives new draws each time.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng = np.random.default_rng(seed or None)
    keys = np.log(rng.random(len(rows))) / weights[rows]
    return rows[np.argsort(-keys)[:size]]
