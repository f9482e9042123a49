# What a student believed: When all have to leave, their order does not matter.
# caught by: test_shuffle_buffer
# reads: Each held item is equally likely to leave; the new one must wait.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        if size > max_bytes:
            for one, _ in held:
                yield one
            held, total = [], 0
            yield item
            continue
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        held.append((item, size))
        total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
