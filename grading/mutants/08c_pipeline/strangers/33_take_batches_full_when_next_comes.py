# What the student believed: a batch is complete when the next item does not fit.
# breaks: "nothing is taken before its batch is asked for"; of a Tape("abcde") with
# batch_size=2 the first next() takes three items.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    batch = []
    for item in stream:
        if len(batch) == batch_size:
            yield batch
            batch = []
        batch.append(item)
    if batch and (len(batch) == batch_size or not drop_last):
        yield batch
