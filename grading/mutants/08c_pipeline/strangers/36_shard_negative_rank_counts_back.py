# What the student believed: a rank can only be too large.
# breaks: "A rank outside 0..world_size-1 raises `ValueError`";
# list(shard(range(6), -1, 3)) is [2, 5].
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if rank >= world_size:
        raise ValueError(f"rank must be below world_size={world_size}, got {rank}")
    iterator = iter(stream)
    while part := list(islice(iterator, world_size)):
        if len(part) == world_size or (not even and rank < len(part)):
            yield part[rank]
