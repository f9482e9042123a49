# Generators of generators: islice for ranks, accumulate for the wheel, a nested function for the
# plan.
from bisect import bisect_right
from itertools import accumulate, chain, takewhile


def draw_with_replacement(weights, size, seed=None):
    line = list(accumulate(np.asarray(weights, dtype=np.float64).tolist()))
    places = np.random.default_rng(seed).uniform(0, line[-1], size=size)
    return np.fromiter(
        (bisect_right(line, place, hi=len(line) - 1) for place in places),
        dtype=np.int64,
        count=size,
    )


def take_batches(stream, batch_size, drop_last=False):
    source = iter(stream)
    pieces = iter(lambda: tuple(islice(source, batch_size)), ())
    return map(
        list, takewhile(lambda piece: len(piece) == batch_size, pieces) if drop_last else pieces
    )


def shard(stream, rank, world_size, even=False):
    if rank not in range(world_size):
        raise ValueError(f"there is no rank {rank} among {world_size}")
    if not even:
        return islice(stream, rank, None, world_size)
    copies = [iter(stream)] * world_size
    return (one_round[rank] for one_round in zip(*copies))


def plan_epoch(
    places,
    read,
    size_of,
    seed=None,
    *,
    offset=0,
    rank=0,
    world_size=1,
    buffer_bytes=None,
    batch_size=1,
    drop_last=False,
):
    def rows():
        for position, place in enumerate(
            shard((p for k, p in enumerate(places) if k >= offset), rank, world_size, drop_last)
        ):
            yield read(place)

    return take_batches(
        rows() if buffer_bytes is None else shuffle_buffer(rows(), buffer_bytes, size_of, seed),
        batch_size,
        drop_last,
    )


def shuffle_buffer(items, max_bytes, size_of, seed=None):
    rng, held = np.random.default_rng(seed), {}
    arrivals = 0

    def leave():
        key = list(held)[int(rng.random() * len(held))]
        return held.pop(key)[0]

    for item in items:
        size = size_of(item)
        while held and sum(each for _, each in held.values()) + size > max_bytes:
            yield leave()
        if size > max_bytes:
            yield item
        else:
            held[arrivals] = item, size
            arrivals += 1
    yield from chain.from_iterable(iter(lambda: [leave()] if held else None, None))


class Bookmark:
    def follow(self, plan, load):
        def count(batch):
            self.batches += 1
            return batch

        yield from map(count, load(islice(plan, self.batches, None)))
        self.__init__(self.epoch + 1)
