# What a student believed: Equal ranks need no drop_last in the batches.
# caught by: test_plan_epoch
# reads: drop_last=True leaves out a short last batch.
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
        items = shuffle_buffer(items, buffer_bytes, size_of, seed)
    return take_batches(items, batch_size, False)
