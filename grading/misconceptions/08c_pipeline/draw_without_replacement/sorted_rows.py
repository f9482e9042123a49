# What a student believed: The draw is a set of rows, so their order says nothing.
# caught by: test_draw_without_replacement
# reads: The first draw is row i with probability weights[i] / weights.sum().
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    candidates = np.flatnonzero(weights > 0)
    if size > len(candidates):
        raise ValueError(f"at most {len(candidates)} rows can be drawn, got {size}")

    keys = np.log1p(-np.random.default_rng(seed).random(len(candidates))) / weights[candidates]
    return np.sort(candidates[np.argsort(-keys)[:size]]).astype(np.int64)
