# What the student believed: the caller knows how many rows were asked for.
# breaks: "`ValueError` with both numbers"; weights [0, 3, 0], size 7: the message
# must have 7 and 1.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights > 0)
    if size > len(rows):
        raise ValueError(f"only {len(rows)} of the rows have a positive weight")
    u = 1 - np.random.default_rng(seed).random(len(rows))
    keys = np.log(u) / weights[rows]
    return rows[np.argsort(-keys)[:size]].astype(np.int64)
