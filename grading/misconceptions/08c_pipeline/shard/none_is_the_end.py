# What a student believed: next(stream, None) gives None only at the end.
# caught by: test_shard
# reads: An error of the stream reaches the caller unchanged, without a retry.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")
    stream = iter(stream)
    while True:
        one_round = []
        try:
            for _ in range(world_size):
                one_round.append(next(stream))
        except Exception:
            if rank < len(one_round) and not even:
                yield one_round[rank]
            return
        yield one_round[rank]
