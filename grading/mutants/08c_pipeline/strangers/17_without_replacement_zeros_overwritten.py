# What the student believed: the array in the function is not the caller's.
# breaks: what any caller expects of its array; w = np.array([0.0, 3]);
# draw_without_replacement(w, 1, 0); w[0] is no longer 0, and size 2 raises nothing.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    positive = int((weights > 0).sum())
    if size > positive:
        raise ValueError(f"{size} rows wanted, {positive} have a positive weight")
    weights[weights == 0] = 1e-300  # no division by zero
    u = 1 - np.random.default_rng(seed).random(len(weights))
    keys = np.log(u) / weights
    return np.argsort(-keys)[:size].astype(np.int64)
