# NumPy wherever it can be had: Gumbel keys, choice, lexsort, permutations of places.
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    share = weights / weights.max()
    rows = np.random.default_rng(seed).choice(
        weights.size, size=size, replace=True, p=share / share.sum()
    )
    return rows.astype(np.int64)


def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    (rows,) = np.nonzero(weights)
    if size > rows.size:
        raise ValueError(f"size={size}, but {rows.size} rows have a positive weight")
    # The logarithm of the key's distance from 0, so that no key is 0 or infinite:
    # log(-log(u) / w) = log(-log(u)) - log(w); -log(u) is an exponential number.
    waiting = np.random.default_rng(seed).standard_exponential(rows.size)
    with np.errstate(divide="ignore"):
        keys = np.log(waiting) - np.log(weights[rows])
    return np.take(rows, np.lexsort((keys,))[:size]).astype(np.int64)


def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng = np.random.default_rng(seed)
    held: list[tuple] = []
    used = 0
    for item in items:
        used += (size := size_of(item))
        while held and used > max_bytes:
            out, own = held.pop(rng.integers(len(held)))
            used -= own
            yield out
        if size > max_bytes:
            yield item
            used = 0
        else:
            held.append((item, size))
    for place in rng.permutation(len(held)):
        yield held[place][0]


def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    mask = np.arange(world_size) == rank
    if not mask.any():
        raise ValueError(f"rank={rank} is outside of world_size={world_size}")
    place = int(mask.argmax())
    iterator = iter(stream)
    while (found := len(part := list(islice(iterator, world_size)))) > 0:
        if found == world_size or (place < found and not even):
            yield part[place]


def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    if order.size < 2:
        raise ValueError(f"N must be 2 or more, got {order.size}")
    n = float(order.size)
    moved = np.linalg.norm(np.subtract(order, np.r_[: order.size], dtype=float), 1)
    return float(np.divide(3 * moved, n * n - 1))


def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    table = np.array(list(records), dtype=float).reshape(-1, 2) / [1e6, 1] * [1, 100]
    ax.plot(*table.T, "o-")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax


def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    held = np.float64(buffer_size) * 1e6 / bytes_per_file
    return float(np.clip(held / num_files, 0, 1))


def find_the_place(
    batches: int,
    batch_size: int,
    bytes_per_file: float,
    bytes_per_second: float,
    microseconds_per_row: float,
) -> dict[str, float]:
    each = np.array([bytes_per_file / bytes_per_second, 1e-6 * microseconds_per_row])
    return dict(zip(("read", "plan"), (float(batches) * batch_size * each).tolist()))
