# What a student believed: A buffer holds a number of rows; max_bytes is that number.
# caught by: test_shuffle_buffer
# reads: The held items together have at most max_bytes.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    rng, held = np.random.default_rng(seed), []
    for item in items:
        size_of(item)
        while held and len(held) >= max_bytes:
            yield held.pop(int(rng.random() * len(held)))
        if max_bytes < 1:
            yield item
        else:
            held.append(item)
    while held:
        yield held.pop(int(rng.random() * len(held)))
