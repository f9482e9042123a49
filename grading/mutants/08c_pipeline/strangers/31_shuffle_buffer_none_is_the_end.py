# What the student believed: next(stream, None) is None only at the end.
# breaks: "yields every item once"; the items [1, None, 2] give only [1].
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, stream = np.random.default_rng(seed), iter(items)
    held, total = [], 0
    while (item := next(stream, None)) is not None:
        size = size_of(item)
        while held and total + size > max_bytes:
            k = int(rng.random() * len(held))
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
