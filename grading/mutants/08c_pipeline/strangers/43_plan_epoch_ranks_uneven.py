# What the student believed: without short batches all ranks have equally many.
# breaks: "`drop_last=True` makes all ranks equal **and** leaves out a short last
# batch"; seven places, two ranks, batch_size=2: two batches on rank 0, one on rank 1.
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
    rows = map(read, shard(islice(places, offset, None), rank, world_size))
    if buffer_bytes is not None:
        rows = shuffle_buffer(rows, buffer_bytes, size_of, seed)
    yield from take_batches(rows, batch_size, drop_last)
