# What a student believed: A rank that does not exist simply gets nothing.
# caught by: test_shard
# reads: A rank outside 0..world_size-1 raises ValueError with both numbers.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:

    stream = iter(stream)
    while one_round := list(islice(stream, world_size)):
        if rank < len(one_round) and (len(one_round) == world_size or not even):
            yield one_round[rank]
