# What a student believed: One must look ahead to know whether a round is the last one.
# caught by: test_shard
# reads: Nothing is taken from the stream before its round is needed.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")
    stream, before = iter(stream), []
    while one_round := list(islice(stream, world_size)):
        if before:
            yield before[rank]
        before = one_round
    if rank < len(before) and (len(before) == world_size or not even):
        yield before[rank]
