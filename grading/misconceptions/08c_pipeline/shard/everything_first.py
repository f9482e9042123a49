# What a student believed: Only a list can be shared out.
# caught by: test_shard
# reads: Nothing is taken from the stream before its round is needed.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")
    items = list(stream)
    whole = len(items) - len(items) % world_size if even else len(items)
    yield from items[rank:whole:world_size]
