# What a student believed: islice goes on where the last one stopped.
# caught by: test_take_batches
# reads: A list is a stream too, and an empty stream has no batches.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    while batch := list(islice(stream, batch_size)):
        if len(batch) == batch_size or not drop_last:
            yield batch
