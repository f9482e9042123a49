# What a student believed: A batch asks for its files in the order of its records.
# caught by: test_count_file_loads
# reads: A batch asks for each of its files once, in ascending order.
def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    cache = FileCache(int, cache_size)
    for record in order:
        cache.get(int(record) // file_length)
    return cache.loads
