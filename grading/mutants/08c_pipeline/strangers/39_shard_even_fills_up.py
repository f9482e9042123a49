# What the student believed: equally many for all means to repeat some rows.
# breaks: "with `even=True` no rank gets an item of it"; seven items, three ranks,
# even=True: rank 1 must get [1, 4], here it gets [1, 4, 0].
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is none of world_size={world_size}")
    iterator, first = iter(stream), []
    while part := list(islice(iterator, world_size)):
        first = first or part
        if even:
            while len(part) < world_size:
                part += first[: world_size - len(part)]
        if rank < len(part):
            yield part[rank]
