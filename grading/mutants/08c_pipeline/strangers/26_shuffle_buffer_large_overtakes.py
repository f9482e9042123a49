# What the student believed: what cannot be held is passed on at once.
# breaks: "it is yielded as soon as nothing else is held"; sizes 1, 9 with
# max_bytes=3 must give item 0, then item 1, for every seed.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng = np.random.default_rng(seed)
    held, total = [], 0
    for item in items:
        size = size_of(item)
        if size > max_bytes:
            yield item
            continue
        while total + size > max_bytes:
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
