# What the student believed: shuffling small numbers is cheaper than shuffling rows.
# breaks: "The buffer holds what was read"; read=lambda place: "x" * place and
# size_of=len with a buffer: size_of is given a place, a TypeError.
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
    yield from take_batches(map(read, mine), batch_size, drop_last)
