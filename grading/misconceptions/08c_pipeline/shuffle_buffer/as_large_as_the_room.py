# What a student believed: An item of max_bytes does not fit.
# caught by: test_shuffle_buffer
# reads: If the new item does not fit, held items leave only until it fits.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        if size >= max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
