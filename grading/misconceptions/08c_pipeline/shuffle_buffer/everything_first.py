# What a student believed: The stream has to be a list before it can be mixed.
# caught by: test_shuffle_buffer
# reads: Nothing is taken from the stream before it is needed.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    items = list(items)
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
