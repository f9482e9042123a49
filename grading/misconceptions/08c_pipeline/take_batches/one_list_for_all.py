# What a student believed: The list can be emptied and used again.
# caught by: test_take_batches
# reads: Each batch is a new list.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:

    batch = []
    for item in stream:
        batch.append(item)
        if len(batch) == batch_size:
            yield batch
            batch.clear()
    if batch and not drop_last:
        yield batch
