# What the student believed: rows can be shared out only when they are there.
# breaks: "Places are skipped, then shared out, before they are read."; range(6),
# rank=0, world_size=2: read is called with 0 to 5, only 0, 2, 4 are needed.
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
    rows = map(read, islice(places, offset, None))
    rows = shard(rows, rank, world_size, even=drop_last)
    if buffer_bytes is not None:
        rows = shuffle_buffer(rows, buffer_bytes, size_of, seed)
    yield from take_batches(rows, batch_size, drop_last)
