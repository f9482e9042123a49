# What a student believed: A buffer that is empty has room for anything.
# caught by: test_shuffle_buffer
# reads: The held items together have at most max_bytes.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng = np.random.default_rng(seed)
    held, total = [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            k = int(rng.random() * len(held))
            held[k], held[-1] = held[-1], held[k]
            out, room = held.pop()
            total -= room
            yield out
        held.append((item, size))
        total += size
    while held:
        k = int(rng.random() * len(held))
        held[k], held[-1] = held[-1], held[k]
        yield held.pop()[0]
