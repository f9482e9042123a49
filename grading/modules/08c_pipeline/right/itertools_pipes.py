# Functional style: itertools, operator and functools.reduce; hardly a statement.
from functools import reduce
from itertools import chain, compress, count, cycle, takewhile
from operator import itemgetter, sub, truediv


def add_step(steps: dict, name: str, settings: dict) -> dict:
    if any(map(name.__eq__, steps)):
        raise ValueError(
            f".{name}() has already been called on this loader; start again from the"
            " loader before it"
        )
    return dict(chain(steps.items(), ((name, settings),)))


def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    def same(value):
        return value

    def chosen(pair):
        return pair[0], (same if pair[1] is None else pair[1])(row[pair[0]])

    return (
        row
        if transform is None
        else dict([chosen(pair) for pair in transform.items()])
        if isinstance(transform, dict)
        else transform(row, **kwargs)
    )


def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    slots = np.flatnonzero(weights)
    ends = np.add.accumulate(weights[slots] / weights.max())
    places = np.random.default_rng(seed).random(size) * ends[-1]
    return slots[np.digitize(places, ends[:-1])].astype(np.int64)


def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    iterator = iter(stream)
    pieces = takewhile(bool, iter(lambda: list(islice(iterator, batch_size)), None))
    wanted = (lambda piece: len(piece) == batch_size) if drop_last else None
    yield from filter(wanted, pieces)


def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if rank not in range(world_size):
        raise ValueError(f"rank {rank} is none of the {world_size} ranks, from 0 on")
    return (
        map(itemgetter(rank), zip(*[iter(stream)] * world_size))
        if even
        else compress(stream, cycle(map(rank.__eq__, range(world_size))))
    )


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
    stages = (
        lambda stream: islice(stream, offset, None),
        lambda stream: shard(stream, rank, world_size, drop_last),
        lambda stream: map(read, stream),
        lambda stream: (
            stream if buffer_bytes is None else shuffle_buffer(stream, buffer_bytes, size_of, seed)
        ),
        lambda stream: take_batches(stream, batch_size, drop_last),
    )
    yield from reduce(lambda stream, stage: stage(stream), stages, places)


class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        def counted(batch):
            self.batches += 1
            return batch

        yield from map(counted, load(islice(plan, self.batches, None)))
        vars(self).update(epoch=self.epoch + 1, batches=0)


def shuffle_quality(order: Sequence[int]) -> float:
    old = np.asarray(order, dtype=np.int64).tolist()
    rows = len(old)
    if rows < 2:
        raise ValueError(f"2 rows or more can be shuffled, got {rows}")
    return 3 * sum(map(abs, map(sub, old, count()))) / (rows * rows - 1)


def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    numbers = 1e6 * buffer_size, bytes_per_file, num_files
    return min(1.0, reduce(lambda x, y: x / y, numbers))


def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    return reduce(truediv, (buffer_size, bytes_per_second, 1e-6))
