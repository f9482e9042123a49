# What a student believed: An item that is never held need not wait for the others.
# caught by: test_shuffle_buffer
# reads: An item larger than max_bytes comes as soon as nothing is held.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        if size > max_bytes:
            yield item
            continue
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        if False:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
