# What a student believed: For each item that comes, one leaves, however large they are.
# caught by: test_shuffle_buffer
# reads: The held items together have at most max_bytes.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        if held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        if not held and size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
