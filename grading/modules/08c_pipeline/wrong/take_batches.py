# %% short_batch_is_forgotten: A batch is handed out when it is full, and then the work
# is done. (promise 1)
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    batch = []
    for item in stream:
        batch.append(item)
        if len(batch) == batch_size:
            yield batch
            batch = []


# %% full_last_batch_dropped: drop_last drops the last batch. (promise 2)
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    before = None
    stream = iter(stream)
    while batch := list(islice(stream, batch_size)):
        if not drop_last:
            yield batch
        else:
            if before:
                yield before
            before = batch


# %% begins_anew_each_time: islice goes on where the last one stopped. (promise 3)
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    while batch := list(islice(stream, batch_size)):
        if len(batch) == batch_size or not drop_last:
            yield batch


# %% one_list_for_all: The list can be emptied and used again. (promise 5)
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    batch = []
    for item in stream:
        batch.append(item)
        if len(batch) == batch_size:
            yield batch
            batch.clear()
    if batch and not drop_last:
        yield batch


# %% the_rest_in_finally: A `finally` is the place for what is left. (promise 7)
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
