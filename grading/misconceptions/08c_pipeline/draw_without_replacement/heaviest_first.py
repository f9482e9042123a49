# What a student believed: The rows of the largest weights are the ones that are drawn.
# caught by: test_draw_without_replacement
# reads: The first draw is row i with probability weights[i] / weights.sum().
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    candidates = np.flatnonzero(weights > 0)
    if size > len(candidates):
        raise ValueError(f"at most {len(candidates)} rows can be drawn, got {size}")

    order = np.random.default_rng(seed).permutation(candidates)
    return order[np.argsort(-weights[order], kind="stable")[:size]].astype(np.int64)
