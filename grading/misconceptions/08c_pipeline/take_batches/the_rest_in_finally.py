# What a student believed: A `finally` is the place for what is left.
# caught by: test_take_batches
# reads: A loop that is left early ends without an error.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    batch = []
    try:
        for item in stream:
            batch.append(item)
            if len(batch) == batch_size:
                yield batch
                batch = []
    finally:
        if batch and not drop_last:
            yield batch
