# What the student believed: u ** (1 / w) orders the rows as log(u) / w does.
# breaks: "the first is row i with probability `weights[i] / weights.sum()`";
# weights [1e-5] * 50 (a plain shuffle) give u ** 100000, which is 0 for nearly all.
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"{size} rows are asked for, but only {len(rows)} have a positive weight")
    u = np.random.default_rng(seed).random(len(weights))[rows]
    keys = u ** (1 / weights[rows])
    return rows[np.argsort(-keys, kind="stable")[:size]]
