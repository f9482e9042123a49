# What a student believed: Only a rank of world_size or more is too large.
# caught by: test_shard
# reads: A rank outside 0..world_size-1 raises ValueError with both numbers.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if rank >= world_size:
        raise ValueError(f"rank {rank} is too large for world_size {world_size}")
    stream = iter(stream)
    while one_round := list(islice(stream, world_size)):
        if rank < len(one_round) and (len(one_round) == world_size or not even):
            yield one_round[rank]
