# What the student believed: argpartition puts the smallest first, in order.
# breaks: "**in the order of the draws**"; weights [1] * 1000 + [1e6, 1e12, 1e18],
# size 1003: rows 1002, 1001, 1000 must nearly always come first, in this order.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    positive = int(np.count_nonzero(weights))
    if size > positive:
        raise ValueError(f"{size} rows wanted, {positive} have a positive weight")
    keys = np.full(len(weights), np.inf)
    u = 1 - np.random.default_rng(seed).random(len(weights))
    np.divide(-np.log(u), weights, out=keys, where=weights > 0)
    if size == 0:
        return np.zeros(0, np.int64)
    return np.argpartition(keys, size - 1)[:size].astype(np.int64)
