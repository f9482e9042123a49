# What a student believed: A generator without a seed is as good as any other.
# caught by: test_draw_without_replacement
# reads: The same seed gives the same draws, a different seed different ones: [0, 1] is not [1,
# 0].
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    candidates = np.flatnonzero(weights > 0)
    if size > len(candidates):
        raise ValueError(f"at most {len(candidates)} rows can be drawn, got {size}")

    keys = np.log1p(-np.random.default_rng().random(len(candidates))) / weights[candidates]
    return candidates[np.argsort(-keys)[:size]].astype(np.int64)
