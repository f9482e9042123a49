# What the student believed: `finally` runs at the end of the stream.
# breaks: what any user expects of a generator; batches = take_batches(range(9), 2);
# next(batches); batches.close() raises "generator ignored GeneratorExit".
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
