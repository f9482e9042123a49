# What a student believed: A buffer of 0 bytes is no buffer.
# caught by: test_plan_epoch
# reads: Only None means no buffer; 0 bytes is a buffer without room.
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

    items = map(read, shard(islice(places, offset, None), rank, world_size, even=drop_last))
    if buffer_bytes:
        items = shuffle_buffer(items, buffer_bytes, size_of, seed)
    return take_batches(items, batch_size, drop_last)
