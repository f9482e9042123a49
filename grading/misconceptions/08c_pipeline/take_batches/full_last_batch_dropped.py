# What a student believed: drop_last drops the last batch.
# caught by: test_take_batches
# reads: drop_last=True leaves out the last batch only when it is short.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:

    before = None
    stream = iter(stream)
    while batch := list(islice(stream, batch_size)):
        if not drop_last:
            yield batch
        else:
            if before:
                yield before
            before = batch
