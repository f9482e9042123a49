# What the student believed: the check may wait until the first item is there.
# breaks: "raises `ValueError` with both numbers, at the latest when the first item is
# asked for"; list(shard([], 5, 2)) is [].
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
