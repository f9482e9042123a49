# What the student believed: a round is complete when the next one has begun or the
# stream has ended after it.
# breaks: "Nothing is taken from the stream before its round is needed"; Tape(range(9)),
# rank 0 of 3, even=True: the first next() takes four items.
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is none of world_size={world_size}")
    if not even:
        yield from islice(stream, rank, None, world_size)
        return
    part = []
    for item in stream:
        if len(part) == world_size:
            yield part[rank]
            part = []
        part.append(item)
    if len(part) == world_size:
        yield part[rank]
