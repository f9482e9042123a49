# What a student believed: The new item goes into the buffer, then one leaves.
# caught by: test_shuffle_buffer
# reads: Each held item is equally likely to leave; the new one must wait.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        held.append((item, size))
        total += size
        while held and total > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
