# What a student believed: Each rank skips the offset in its own part.
# caught by: test_plan_epoch
# reads: The first offset places are skipped, then the ranks share the others.
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

    items = map(read, islice(shard(places, rank, world_size, even=drop_last), offset, None))
    if buffer_bytes is not None:
        items = shuffle_buffer(items, buffer_bytes, size_of, seed)
    return take_batches(items, batch_size, drop_last)
