# What a student believed: An item that does not fit cannot be handed out.
# caught by: test_shuffle_buffer
# reads: Every item comes out once, whatever it is and however large.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        if size <= max_bytes:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
