# What a student believed: Places can be mixed before they are read.
# caught by: test_plan_epoch
# reads: Rows are mixed in the buffer, then cut into batches.
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
    mine = shard(islice(places, offset, None), rank, world_size, even=drop_last)
    if buffer_bytes is not None:
        mine = shuffle_buffer(mine, buffer_bytes, size_of, seed)
    return take_batches(map(read, mine), batch_size, drop_last)
