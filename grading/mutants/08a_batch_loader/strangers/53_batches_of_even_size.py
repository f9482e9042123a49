# What the student believed: np.array_split cuts after every batch_size records.
# breaks: "The order is cut into batches ... The short last batch counts too.": ten
# records in batches of 4 become 4, 3, 3;
# count_file_loads([0, 1, 5, 2, 6, 7, 8, 9, 3, 4], 5, 4) is 4 instead of 3.
def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    cache = FileCache(int, cache_size)
    files = np.asarray(order, dtype=np.int64) // file_length
    batches = max(1, -(-len(files) // batch_size))
    for batch in np.array_split(files, batches):
        for file in np.unique(batch).tolist():
            cache.get(file)
    return cache.loads
