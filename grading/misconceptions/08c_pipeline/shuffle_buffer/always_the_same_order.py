# What a student believed: A fixed seed of one's own makes the order repeatable.
# caught by: test_shuffle_buffer
# reads: When the stream has ended, the held items come in random order.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    rng, held, total = np.random.default_rng(42), [], 0
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
