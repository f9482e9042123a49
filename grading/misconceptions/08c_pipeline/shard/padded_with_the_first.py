# What a student believed: Ranks are made equal by giving some an item for a second time.
# caught by: test_shard
# reads: With even=True no rank gets an item of a short last round.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")

    first, count = None, 0
    for count, item in enumerate(stream, start=1):
        first = item if count == 1 else first
        if (count - 1) % world_size == rank:
            yield item
    if even and count % world_size and count % world_size <= rank:
        yield first
