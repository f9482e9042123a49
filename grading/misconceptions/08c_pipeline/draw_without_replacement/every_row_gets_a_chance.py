# What a student believed: No row should be left out for ever, so a weight is at least 1.
# caught by: test_draw_without_replacement
# reads: A row of weight 0 never comes.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    keys = np.log(np.random.default_rng(seed).random(len(weights))) / np.maximum(weights, 1)
    return np.argsort(-keys)[:size]
