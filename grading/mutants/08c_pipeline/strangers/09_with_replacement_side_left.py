# What the student believed: searchsorted finds the slot, whatever its side.
# breaks: "A row of weight 0 never comes" and "the place 5.0 into that of row 2";
# weights [0, 1] and a Generator whose next random() is 0.0 give row 0.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    ends = np.cumsum(weights)
    places = np.random.default_rng(seed).random(size) * ends[-1]
    return np.searchsorted(ends, places).astype(np.int64)
