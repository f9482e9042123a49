# What a student believed: One must look ahead to know whether a batch is the last one.
# caught by: test_take_batches
# reads: Nothing is taken before its batch is asked for.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:

    stream, before = iter(stream), None
    while batch := list(islice(stream, batch_size)):
        if before is not None:
            yield before
        before = batch
    if before is not None and (len(before) == batch_size or not drop_last):
        yield before
