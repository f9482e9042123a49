# What a student believed: What comes behind the batch in the list is the next batch.
# caught by: test_take_batches
# reads: Each batch is a new list.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    collected = []
    for item in stream:
        collected.append(item)
        if len(collected) == batch_size:
            yield collected
            collected = collected[batch_size:]
    if collected and not drop_last:
        yield collected
