# What a student believed: A disk that failed once may answer the second time.
# caught by: test_plan_epoch
# reads: An error of places or read reaches the caller unchanged, without a retry.
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

    def twice(place):
        try:
            return read(place)
        except Exception:
            return read(place)

    mine = shard(islice(places, offset, None), rank, world_size, even=drop_last)
    items = map(twice, mine)
    if buffer_bytes is not None:
        items = shuffle_buffer(items, buffer_bytes, size_of, seed)
    return take_batches(items, batch_size, drop_last)
