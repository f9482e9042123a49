# What a student believed: A rank can be checked where it is used.
# caught by: test_shard
# reads: A rank outside 0..world_size-1 raises ValueError with both numbers.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    mine = None
    for number, item in enumerate(stream):
        if not 0 <= rank < world_size:
            raise ValueError(f"rank {rank} is none of world_size={world_size}")
        if number % world_size == rank:
            mine = item
            if not even:
                yield mine
        if even and number % world_size == world_size - 1:
            yield mine
