# What a student believed: A stream that raises an error has ended.
# caught by: test_take_batches
# reads: An error of the stream reaches the caller unchanged, without a retry.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    stream, batch = iter(stream), []
    while True:
        try:
            batch.append(next(stream))
        except Exception:
            break
        if len(batch) == batch_size:
            yield batch
            batch = []
    if batch and not drop_last:
        yield batch
