# What the student believed: a set of ints goes from small to large.
# breaks: "each batch asks for its files in ascending order"; order [10, 80, 10], files
# of 10, batches of 2: {1, 8} comes as 8, 1, then 1 is a hit: 2 loads instead of 3.
def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    cache = FileCache(int, cache_size)
    for first in range(0, len(order), batch_size):
        batch = order[first : first + batch_size]
        for file in {int(record) // file_length for record in batch}:
            cache.get(file)
    return cache.loads
