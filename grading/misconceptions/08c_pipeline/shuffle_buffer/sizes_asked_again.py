# What a student believed: The size can be asked again whenever it is needed.
# caught by: test_shuffle_buffer
# reads: size_of is asked once for each item.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    rng, held = np.random.default_rng(seed), []
    for item in items:
        size = size_of(item)
        while held and sum(map(size_of, held)) + size > max_bytes:
            yield held.pop(int(rng.random() * len(held)))
        if size > max_bytes:
            yield item
        else:
            held.append(item)
    while held:
        yield held.pop(int(rng.random() * len(held)))
