# What the student believed: the caller is done with a batch when it wants the next.
# breaks: "Each batch is a list of its own"; list(take_batches("abcde", 2)) is
# [["e"], ["e"], ["e"]].
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    iterator, batch = iter(stream), []
    while True:
        batch[:] = islice(iterator, batch_size)
        if not batch or (drop_last and len(batch) < batch_size):
            return
        yield batch
