# What the student believed: an order is always a NumPy array.
# breaks: "order: Sequence[int]"; count_file_loads([0, 3, 2, 1], 2) is a TypeError
# (a list cannot be divided by a number).
def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    cache = FileCache(int, cache_size)
    files = order // file_length
    for first in range(0, len(files), batch_size):
        for file in np.unique(files[first : first + batch_size]).tolist():
            cache.get(file)
    return cache.loads
