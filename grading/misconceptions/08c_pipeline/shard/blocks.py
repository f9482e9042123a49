# What a student believed: Rank 0 gets the first part of the stream, rank 1 the second.
# caught by: test_shard
# reads: A rank gets item number rank of each round, in order.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")

    items = list(stream)
    each = -(-len(items) // world_size) if not even else len(items) // world_size
    yield from items[rank * each : (rank + 1) * each]
