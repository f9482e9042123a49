# What a student believed: Fill the buffer, shuffle it, hand it all out, fill it again.
# caught by: test_shuffle_buffer
# reads: If the new item does not fit, held items leave only until it fits.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        if total + size > max_bytes:
            while held:
                yield held.pop(int(rng.random() * len(held)))
            total = 0
        if size > max_bytes:
            yield item
        else:
            held.append(item)
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))
