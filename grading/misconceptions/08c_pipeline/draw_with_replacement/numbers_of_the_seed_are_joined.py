# What a student believed: A generator needs one number, so the digits of a seed are joined.
# caught by: test_draw_with_replacement
# reads: The same seed gives the same draws, a different seed different ones: [0, 1] is not [1,
# 0].
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng = np.random.default_rng(int("".join(map(str, seed))) if isinstance(seed, list) else seed)
    return rng.choice(len(weights), size=size, p=weights / weights.sum())
