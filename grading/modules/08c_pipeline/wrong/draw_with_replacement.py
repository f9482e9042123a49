# %% the_line_has_length_one: Weights are probabilities, so the line ends at 1. (promise
# 2)
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    ends = np.cumsum(weights)
    rows = np.searchsorted(ends, np.random.default_rng(seed).random(size), side="right")
    return np.minimum(rows, np.flatnonzero(weights)[-1]).astype(np.int64)


# %% as_often_as_the_weight_says: A row comes exactly as often as its weight says, only
# the order is random. (promise 3)
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng, ends = np.random.default_rng(seed), np.cumsum(weights)
    places = (np.arange(size) + rng.random()) / max(size, 1) * ends[-1]
    return rng.permutation(np.searchsorted(ends, places, side="right"))


# %% a_border_belongs_to_the_slot_before: searchsorted finds the slot without `side`.
# (promise 4)
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    ends = np.cumsum(weights)
    places = np.random.default_rng(seed).random(size) * ends[-1]
    return np.searchsorted(ends, places).astype(np.int64)


# %% numbers_of_the_seed_are_added: A generator needs one number, so the numbers of a
# seed are added. (promise 5)
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng = np.random.default_rng(sum(seed) if isinstance(seed, list) else seed)
    return rng.choice(len(weights), size=size, p=weights / weights.sum())


# %% seed_0_is_no_seed: `seed or None` stands for `if seed is given`. (promise 6)
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rng = np.random.default_rng(seed or None)
    return rng.choice(len(weights), size=size, p=weights / weights.sum())


# %% divides_the_weights_themselves: np.asarray made a copy, so the weights may be
# divided in place. (promise 7)
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    weights /= weights.sum()
    return np.random.default_rng(seed).choice(len(weights), size=size, p=weights)
