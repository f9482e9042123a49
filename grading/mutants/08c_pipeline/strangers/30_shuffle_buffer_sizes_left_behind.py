# What the student believed: popping the last size frees what the popped item held.
# breaks: "together more than `max_bytes`" (the limit); sizes 3, 1, 2, 1, 3, ... with
# max_bytes=6: sooner or later more than 6 bytes are held, or room is left unused.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng = np.random.default_rng(seed)
    held, sizes, total = [], [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            k = int(rng.random() * len(held))
            held[k], held[-1] = held[-1], held[k]
            total -= sizes.pop()
            yield held.pop()
        if size > max_bytes:
            yield item
        else:
            held.append(item)
            sizes.append(size)
            total += size
    while held:
        k = int(rng.random() * len(held))
        held[k], held[-1] = held[-1], held[k]
        yield held.pop()
