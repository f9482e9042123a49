# What a student believed: next(stream, None) gives None only at the end.
# caught by: test_take_batches
# reads: Batches are lists of batch_size items in order; the last one holds what is left.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    stream, batch = iter(stream), []
    while (item := next(stream, None)) is not None:
        batch.append(item)
        if len(batch) == batch_size:
            yield batch
            batch = []
    if batch and not drop_last:
        yield batch
