# "Easier to ask forgiveness than permission": next, KeyError, StopIteration, deque.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    try:
        steps[name]
    except KeyError:
        return dict([*steps.items(), (name, settings)])
    raise ValueError(f".{name}() has already been called on this loader")


def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    try:
        columns = list(dict.items(transform))
    except TypeError:  # no dict
        columns = None
    if columns is None:
        return transform(row, **kwargs)
    result = {}
    for name, function in columns:
        result[name] = [row[name]]  # boxed, so that None is a value as any other
        while function is not None:
            result[name] = [function(row[name])]
            break
    return {name: value for name, [value] in result.items()}


def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights > 0)
    ends = np.cumsum(weights[rows] / weights.max())
    ends /= ends[-1]
    ends[-1] = 1.0
    places = np.random.default_rng(seed).random(size)
    return rows[np.searchsorted(ends, places, "right")]


def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    from collections import deque

    rng, stream, held, used = np.random.default_rng(seed), iter(items), deque(), 0

    def out():
        nonlocal used
        held.rotate(-int(rng.random() * len(held)))
        item, size = held.popleft()
        used -= size
        return item

    while True:
        try:
            item = next(stream)
        except StopIteration:
            break
        size = size_of(item)
        while held and used + size > max_bytes:
            yield out()
        if not held:
            used = 0
        if size > max_bytes:
            yield item
            continue
        held.append((item, size))
        used += size
    while True:
        try:
            item = out()
        except IndexError:  # nothing is held any more
            return
        yield item


def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    iterator, ended = iter(stream), False
    while not ended:
        batch = []
        try:
            while len(batch) < batch_size:
                batch.append(next(iterator))
        except StopIteration:
            ended = True
        if len(batch) == batch_size or (batch and not drop_last):
            yield batch


def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    try:
        if rank < 0:
            raise IndexError
        place = range(world_size)[rank]
    except IndexError:
        raise ValueError(
            f"a rank is one of 0..world_size-1, got rank={rank} of world_size={world_size}"
        ) from None

    def mine():
        iterator = iter(stream)
        while True:
            try:
                for _ in range(place):
                    next(iterator)
                item = next(iterator)
                if even:
                    for _ in range(place + 1, world_size):
                        next(iterator)
            except StopIteration:
                return
            yield item
            if not even:
                try:
                    for _ in range(place + 1, world_size):
                        next(iterator)
                except StopIteration:
                    return

    return mine()


def plan_epoch(
    places: Iterable[int],
    read: Callable,
    size_of: Callable,
    seed=None,
    *,
    offset: int = 0,
    rank: int = 0,
    world_size: int = 1,
    buffer_bytes: float | None = None,
    batch_size: int = 1,
    drop_last: bool = False,
) -> Iterator[list]:
    stream = iter(places)
    for _ in zip(range(offset), stream):  # the range ends first: nothing is lost
        pass
    stream = map(read, shard(stream, rank, world_size, even=drop_last))
    if buffer_bytes is not None:
        stream = shuffle_buffer(stream, buffer_bytes, size_of, seed)
    yield from take_batches(stream, batch_size, drop_last)


class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        next(islice(plan, self.batches, self.batches), None)
        batches = load(plan)
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                break
            self.batches += 1
            yield batch
        self.epoch += 1
        self.batches = 0


def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    try:
        usual = (count - 1 / count) / 3
        distance = np.mean(np.absolute(np.arange(count) - order))
        return float(distance) / usual
    except ZeroDivisionError:
        raise ValueError(f"a quality needs 2 rows or more, got {count}") from None
