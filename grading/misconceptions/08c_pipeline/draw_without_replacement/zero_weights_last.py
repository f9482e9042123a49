# What a student believed: Rows of weight 0 come last, when nothing else is left.
# caught by: test_draw_without_replacement
# reads: A size above the number of positive weights raises ValueError with both numbers.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    with np.errstate(divide="ignore"):
        keys = np.log1p(-np.random.default_rng(seed).random(len(weights))) / weights
    return np.argsort(-keys, kind="stable")[:size].astype(np.int64)
