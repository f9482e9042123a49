# What the student believed: the rows must be there before they can be batched.
# breaks: "Lazy: a batch is read when it is asked for, plus what the buffer needs.";
# range(100), batch_size=2: the first next() reads 100 places.
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
    rows = [read(place) for place in mine]
    if buffer_bytes is not None:
        rows = shuffle_buffer(rows, buffer_bytes, size_of, seed)
    yield from take_batches(rows, batch_size, drop_last)
