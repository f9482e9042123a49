# What a student believed: An epoch without records is a mistake.
# caught by: test_count_file_loads
# reads: An empty order costs 0 loads.
def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    if len(order) == 0:
        raise ValueError("no records")
    cache, files = FileCache(int, cache_size), np.asarray(order, dtype=np.int64) // file_length
    for start in range(0, len(files), batch_size):
        for file in np.unique(files[start : start + batch_size]).tolist():
            cache.get(file)
    return cache.loads
