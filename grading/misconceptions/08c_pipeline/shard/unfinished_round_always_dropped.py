# What a student believed: Ranks must always be equal, whatever `even` says.
# caught by: test_shard
# reads: Every item is on exactly one rank.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")

    stream = iter(stream)
    while len(one_round := list(islice(stream, world_size))) == world_size:
        yield one_round[rank]
