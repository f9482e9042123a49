# What a student believed: A list of n items has the places 0 to n - 1, so rng.random() is
# multiplied by n - 1.
# caught by: test_shuffle_buffer
# reads: Each held item is equally likely to leave; the new one must wait.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * (len(held) - 1)))
            total -= weight
            yield chosen
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(rng.random() * (len(held) - 1)))[0]
