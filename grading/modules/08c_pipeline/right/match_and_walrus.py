# Newer syntax: match, walrus, dict unions, comprehensions with conditions, heapq.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    match name in steps:
        case True:
            raise ValueError(f".{name}() has already been called; it counts once")
        case False:
            return {**steps} | {name: settings}


def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    match transform:
        case None:
            return row
        case dict():
            return {
                column: change(value) if change is not None else value
                for column, change in transform.items()
                if ((value := row[column]), True)[1]
            }
        case function:
            return function(row, **kwargs)


def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)
    largest = weights.max()
    total = (ends := (weights / largest).cumsum())[-1]
    places = np.random.default_rng(seed).random(size) * total
    # all slots, less those that end beyond the place; searched from the other end
    beyond = (-ends[::-1]).searchsorted(-places, side="left")
    return (ends.size - beyond).astype(np.int64, copy=False)


def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    import heapq
    import math

    weights = np.asarray(weights, dtype=np.float64)
    if size > (positive := int(np.sum(weights > 0))):
        raise ValueError(f"{size=} is more than the {positive} positive weights")
    rng = np.random.default_rng(seed)
    keys = {
        row: math.log(waited) - math.log(weight) if waited else -math.inf
        for row, (weight, waited) in enumerate(
            zip(weights.tolist(), rng.standard_exponential(len(weights)).tolist())
        )
        if weight
    }
    first = heapq.nsmallest(size, keys, key=keys.__getitem__)
    return np.fromiter(first, dtype=np.int64, count=size)


def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    iterator = iter(stream)
    while batch := [*islice(iterator, batch_size)]:
        match len(batch) == batch_size, drop_last:
            case (True, _):
                yield batch
            case (False, False):
                yield batch
                return
            case _:
                return


def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not (0 <= rank <= world_size - 1):
        raise ValueError(f"{rank=} is not one of 0..world_size-1, {world_size=}")
    nothing = object()
    iterator = iter(stream)
    while (first := next(iterator, nothing)) is not nothing:
        match [first, *islice(iterator, world_size - 1)]:
            case part if len(part) < world_size and (even or rank >= len(part)):
                return
            case part:
                yield part[rank]


class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        end = object()
        batches = load(islice(plan, self.batches, None))
        while (batch := next(batches, end)) is not end:
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0
