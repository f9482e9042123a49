# What a student believed: even=True leaves out the last round.
# caught by: test_shard
# reads: A complete last round is handed out, even with even=True.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")
    stream, before = iter(stream), []
    while one_round := list(islice(stream, world_size)):
        if not even and rank < len(one_round):
            yield one_round[rank]
        if even and before and len(one_round) + world_size > world_size:
            yield before[rank]
        before = one_round
