# What the student believed: places are always a range or a list.
# breaks: "places: Iterable[int]"; list(plan_epoch(iter(range(7)), int, int, offset=1))
# is a TypeError.
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
    rows = map(read, shard(places[offset:], rank, world_size, even=drop_last))
    if buffer_bytes is not None:
        rows = shuffle_buffer(rows, buffer_bytes, size_of, seed)
    yield from take_batches(rows, batch_size, drop_last)
