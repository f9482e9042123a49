# What a student believed: Batches are cut first, and the buffer mixes batches.
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
    batches = take_batches(map(read, mine), batch_size, drop_last)
    return (
        batches
        if buffer_bytes is None
        else shuffle_buffer(batches, buffer_bytes, lambda batch: sum(map(size_of, batch)), seed)
    )
