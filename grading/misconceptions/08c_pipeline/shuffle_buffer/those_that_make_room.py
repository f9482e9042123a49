# What a student believed: The item that leaves has to make enough room alone.
# caught by: test_shuffle_buffer
# reads: Each held item is equally likely to leave; the new one must wait.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng = np.random.default_rng(seed)
    held, total = [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            missing = total + size - max_bytes
            places = [k for k, (_, room) in enumerate(held) if room >= missing]
            places = places or list(range(len(held)))
            k = places[int(rng.random() * len(places))]
            held[k], held[-1] = held[-1], held[k]
            out, room = held.pop()
            total -= room
            yield out
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        k = int(rng.random() * len(held))
        held[k], held[-1] = held[-1], held[k]
        yield held.pop()[0]
