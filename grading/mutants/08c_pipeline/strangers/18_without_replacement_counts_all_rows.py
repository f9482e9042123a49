# What the student believed: there are as many rows to draw as there are weights.
# breaks: "If `size` is larger than the number of positive weights: `ValueError`";
# weights [0, 3, 0], size 2 must raise.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    if size > len(weights):
        raise ValueError(f"cannot draw {size} rows of {len(weights)}")
    u = 1 - np.random.default_rng(seed).random(len(weights))
    keys = np.full(len(weights), -np.inf)
    chosen = weights > 0
    keys[chosen] = np.log(u[chosen]) / weights[chosen]
    return np.argsort(-keys)[:size].astype(np.int64)
