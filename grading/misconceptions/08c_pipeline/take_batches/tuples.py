# What a student believed: A tuple is as good as a list.
# caught by: test_take_batches
# reads: Batches are lists of batch_size items in order; the last one holds what is left.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    stream = iter(stream)
    while batch := tuple(islice(stream, batch_size)):
        if len(batch) == batch_size or not drop_last:
            yield batch
