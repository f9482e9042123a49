# What the student believed: 1e-12 is as good as 0.
# breaks: "Rows of weight 0 never come."; weights [0, 1e-15, 1e-15], size 2 must hold
# rows 1 and 2 for every seed.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    positive = int(np.count_nonzero(weights))
    if size > positive:
        raise ValueError(f"{size} rows wanted, {positive} have a positive weight")
    u = 1 - np.random.default_rng(seed).random(len(weights))
    keys = np.log(u) / np.maximum(weights, 1e-12)
    return np.argsort(-keys)[:size].astype(np.int64)
