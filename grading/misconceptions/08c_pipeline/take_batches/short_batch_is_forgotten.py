# What a student believed: A batch is handed out when it is full, and then the work is done.
# caught by: test_take_batches
# reads: Batches are lists of batch_size items in order; the last one holds what is left.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:

    batch = []
    for item in stream:
        batch.append(item)
        if len(batch) == batch_size:
            yield batch
            batch = []
