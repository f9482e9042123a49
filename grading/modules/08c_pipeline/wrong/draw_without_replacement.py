# %% a_row_may_come_again: With many rows nobody meets the same row twice. (promise 2)
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    candidates = np.flatnonzero(weights > 0)
    if size > len(candidates):
        raise ValueError(f"at most {len(candidates)} rows can be drawn, got {size}")

    rng = np.random.default_rng(seed)
    return rng.choice(len(weights), size=size, p=weights / weights.sum()).astype(np.int64)


# %% weight_times_chance: A random number times the weight is as good a key. (promise 4)
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    candidates = np.flatnonzero(weights > 0)
    if size > len(candidates):
        raise ValueError(f"at most {len(candidates)} rows can be drawn, got {size}")

    keys = np.random.default_rng(seed).random(len(candidates)) * weights[candidates]
    return candidates[np.argsort(-keys)[:size]].astype(np.int64)


# %% the_rest_is_a_plain_shuffle: The weights decide who comes first; the others follow
# at random. (promise 5)
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng = np.random.default_rng(seed)
    if not size:
        return rows[:0]
    first = rng.choice(len(weights), p=weights / weights.sum())
    return np.array([first, *rng.permutation(rows[rows != first])[: size - 1]])


# %% zero_weights_last: Rows of weight 0 come last, when nothing else is left. (promise
# 6)
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    with np.errstate(divide="ignore"):
        keys = np.log1p(-np.random.default_rng(seed).random(len(weights))) / weights
    return np.argsort(-keys, kind="stable")[:size].astype(np.int64)


# %% numbers_of_the_seed_are_multiplied: A generator needs one number, so the numbers of
# a seed are multiplied. (promise 7)
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng = np.random.default_rng(int(np.prod(seed)) if isinstance(seed, list) else seed)
    keys = np.log(rng.random(len(rows))) / weights[rows]
    return rows[np.argsort(-keys)[:size]]


# %% seed_0_is_no_seed: `seed or None` stands for `if seed is given`. (promise 8)
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng = np.random.default_rng(seed or None)
    keys = np.log(rng.random(len(rows))) / weights[rows]
    return rows[np.argsort(-keys)[:size]]


# %% a_drawn_row_loses_its_weight: A row that was drawn gets the weight 0. (promise 9)
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if size > len(rows):
        raise ValueError(f"size {size} is more than the {len(rows)} rows of positive weight")
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(size):
        drawn.append(rng.choice(len(weights), p=weights / weights.sum()))
        weights[drawn[-1]] = 0
    return np.array(drawn, dtype=np.int64)
