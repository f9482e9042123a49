# What a student believed: np.random.seed makes a shuffle repeatable.
# caught by: test_shuffle_buffer
# reads: The global random generators are not changed.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    np.random.seed(seed)
    held, total = [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(np.random.random() * len(held)))
            total -= weight
            yield chosen
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(np.random.random() * len(held)))[0]
