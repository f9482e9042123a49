# What a student believed: With many rows nobody meets the same row twice.
# caught by: test_draw_without_replacement
# reads: Each row comes at most once.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    candidates = np.flatnonzero(weights > 0)
    if size > len(candidates):
        raise ValueError(f"at most {len(candidates)} rows can be drawn, got {size}")

    rng = np.random.default_rng(seed)
    return rng.choice(len(weights), size=size, p=weights / weights.sum()).astype(np.int64)
