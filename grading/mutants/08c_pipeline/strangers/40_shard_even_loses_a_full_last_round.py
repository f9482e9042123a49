# What the student believed: the last round is the one to leave out.
# breaks: "The last round **may** be short: ... no rank gets an item of it"; six items,
# three ranks, even=True: rank 0 must get [0, 3] (seven items are right).
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is none of world_size={world_size}")
    waiting = []
    for number, item in enumerate(stream):
        if number % world_size == 0:
            yield from waiting  # their round is complete
            waiting = []
        if number % world_size == rank:
            if even:
                waiting.append(item)
            else:
                yield item
