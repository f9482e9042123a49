# %% blocks: Rank 0 gets the first part of the stream, rank 1 the second. (promise 2)
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")

    items = list(stream)
    each = -(-len(items) // world_size) if not even else len(items) // world_size
    yield from items[rank * each : (rank + 1) * each]


# %% padded_with_the_first: Ranks are made equal by giving some an item for a second
# time. (promise 3)
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")

    first, count = None, 0
    for count, item in enumerate(stream, start=1):
        first = item if count == 1 else first
        if (count - 1) % world_size == rank:
            yield item
    if even and count % world_size and count % world_size <= rank:
        yield first


# %% the_last_round_is_never_even: even=True leaves out the last round. (promise 4)
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


# %% ranks_from_the_end: Only a rank of world_size or more is too large. (promise 5)
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if rank >= world_size:
        raise ValueError(f"rank {rank} is too large for world_size {world_size}")
    stream = iter(stream)
    while one_round := list(islice(stream, world_size)):
        if rank < len(one_round) and (len(one_round) == world_size or not even):
            yield one_round[rank]


# %% everything_first: Only a list can be shared out. (promise 6)
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of 0..{world_size - 1}, world_size {world_size}")
    items = list(stream)
    whole = len(items) - len(items) % world_size if even else len(items)
    yield from items[rank:whole:world_size]
