# What a student believed: A batch has 32 records if nothing else is said.
# caught by: test_count_file_loads
# reads: batch_size and cache_size are 1 if left out.
def count_file_loads(order, file_length, batch_size=32, cache_size=1):
    cache, files = FileCache(int, cache_size), np.asarray(order, dtype=np.int64) // file_length
    for start in range(0, len(files), batch_size):
        for file in np.unique(files[start : start + batch_size]).tolist():
            cache.get(file)
    return cache.loads
