# What a student believed: Each batch has a cache of its own.
# caught by: test_count_file_loads
# reads: One LRU cache of cache_size files, empty at first, serves the whole epoch.
def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    files, loads = np.asarray(order, dtype=np.int64) // file_length, 0
    for start in range(0, len(files), batch_size):
        cache = FileCache(int, cache_size)
        for file in np.unique(files[start : start + batch_size]).tolist():
            cache.get(file)
        loads += cache.loads
    return loads
