# What a student believed: A stream that raises an error has ended.
# caught by: test_take_batches
# reads: What the stream raises reaches the caller unchanged, once.
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
