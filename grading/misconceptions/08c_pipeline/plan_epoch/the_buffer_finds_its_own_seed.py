# What a student believed: The buffer needs no seed to mix.
# caught by: test_plan_epoch
# reads: The buffer gets buffer_bytes, size_of and seed unchanged.
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
    items = map(read, mine)
    if buffer_bytes is not None:
        items = shuffle_buffer(items, buffer_bytes, size_of)
    return take_batches(items, batch_size, drop_last)
