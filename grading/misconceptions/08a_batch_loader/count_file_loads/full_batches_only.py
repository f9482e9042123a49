# What a student believed: N // batch_size batches make an epoch.
# caught by: test_count_file_loads
# reads: The short last batch counts too.
def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    cache, files = FileCache(int, cache_size), np.asarray(order, dtype=np.int64) // file_length
    for number in range(len(files) // batch_size):
        for file in np.unique(files[number * batch_size : (number + 1) * batch_size]).tolist():
            cache.get(file)
    return cache.loads
