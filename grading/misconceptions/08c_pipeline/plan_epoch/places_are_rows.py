# What a student believed: A place is a row, so nothing has to be read.
# caught by: test_plan_epoch
# reads: Without settings each place is read, in order, as a batch of one.
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

    items = shard(islice(places, offset, None), rank, world_size, even=drop_last)
    if buffer_bytes is not None:
        items = shuffle_buffer(items, buffer_bytes, size_of, seed)
    return take_batches(items, batch_size, drop_last)
