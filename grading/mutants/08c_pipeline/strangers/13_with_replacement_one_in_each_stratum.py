# What the student believed: evenly spread places hit the proportions better.
# breaks: "whatever the others are" (and "drawn independently"); weights [1, 1],
# size 2: one 0 and one 1 for every seed, never [0, 0].
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    ends, rng = np.cumsum(weights), np.random.default_rng(seed)
    places = (rng.permutation(size) + rng.random(size)) / size * ends[-1]
    rows = np.searchsorted(ends, places, side="right")
    return np.minimum(rows, np.flatnonzero(weights)[-1]).astype(np.int64)
