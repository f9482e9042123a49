# What a student believed: A stream that raises an error has ended.
# caught by: test_shuffle_buffer
# reads: An error of the stream or size_of reaches the caller unchanged, without a retry.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    def until_it_fails(stream):
        try:
            yield from stream
        except OSError:
            return

    items = until_it_fails(items)
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
