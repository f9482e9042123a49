# %% in_the_order_of_the_records: A batch asks for its files in the order of its
# records. (promise 1)
def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    cache = FileCache(int, cache_size)
    for record in order:
        cache.get(int(record) // file_length)
    return cache.loads


# %% a_cache_for_each_batch: Each batch has a cache of its own. (promise 2)
def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    files, loads = np.asarray(order, dtype=np.int64) // file_length, 0
    for start in range(0, len(files), batch_size):
        cache = FileCache(int, cache_size)
        for file in np.unique(files[start : start + batch_size]).tolist():
            cache.get(file)
        loads += cache.loads
    return loads


# %% full_batches_only: N // batch_size batches make an epoch. (promise 3)
def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    cache, files = FileCache(int, cache_size), np.asarray(order, dtype=np.int64) // file_length
    for number in range(len(files) // batch_size):
        for file in np.unique(files[number * batch_size : (number + 1) * batch_size]).tolist():
            cache.get(file)
    return cache.loads


# %% an_epoch_has_records: An epoch without records is a mistake. (promise 4)
def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    if len(order) == 0:
        raise ValueError("no records")
    cache, files = FileCache(int, cache_size), np.asarray(order, dtype=np.int64) // file_length
    for start in range(0, len(files), batch_size):
        for file in np.unique(files[start : start + batch_size]).tolist():
            cache.get(file)
    return cache.loads
