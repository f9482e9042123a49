# What a student believed: A generator needs one number, so the numbers of a seed are multiplied.
# caught by: test_draw_without_replacement
# reads: The same seed gives the same draws, a different seed different ones: [0, 1] is not [1,
# 0].
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng = np.random.default_rng(int(np.prod(seed)) if isinstance(seed, list) else seed)
    keys = np.log(rng.random(len(rows))) / weights[rows]
    return rows[np.argsort(-keys)[:size]]
