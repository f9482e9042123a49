# What the student believed: `[-size:]` are the last `size` ones for every size.
# breaks: "int64 array (size,)"; draw_without_replacement([1, 1, 1], 0, 0) must have
# shape (0,), here it has shape (3,).
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights > 0)
    if size > len(rows):
        raise ValueError(f"size is {size}, but {len(rows)} rows have a positive weight")
    u = 1 - np.random.default_rng(seed).random(len(rows))
    keys = np.log(u) / weights[rows]
    return rows[np.argsort(keys)[-size:][::-1]].astype(np.int64)
