# What a student believed: An item whose size cannot be asked is left out.
# caught by: test_shuffle_buffer
# reads: An error of the stream or size_of reaches the caller unchanged, without a retry.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        try:
            size = size_of(item)
        except LookupError:
            continue
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
