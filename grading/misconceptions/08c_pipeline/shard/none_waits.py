# What a student believed: None says that this rank has no item of the round.
# caught by: test_shard
# reads: Every item is on exactly one rank.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")
    mine = None
    for number, item in enumerate(stream):
        if number % world_size == rank:
            mine = item
            if not even:
                yield mine
        if even and number % world_size == world_size - 1 and mine is not None:
            yield mine
