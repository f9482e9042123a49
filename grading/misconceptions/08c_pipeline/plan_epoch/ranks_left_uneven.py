# What a student believed: drop_last concerns batches; ranks have nothing to do with it.
# caught by: test_plan_epoch
# reads: With drop_last=True no rank has a batch that another lacks.
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

    items = map(read, shard(islice(places, offset, None), rank, world_size))
    if buffer_bytes is not None:
        items = shuffle_buffer(items, buffer_bytes, size_of, seed)
    return take_batches(items, batch_size, drop_last)
