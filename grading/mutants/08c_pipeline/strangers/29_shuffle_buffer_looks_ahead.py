# What the student believed: to know the end, one must look one item ahead.
# breaks: "Nothing is taken from the stream before it is needed."; items of one byte,
# max_bytes=1: the first next() must take two items, here it takes three.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, stream, end = np.random.default_rng(seed), iter(items), object()
    held, total = [], 0
    item = next(stream, end)
    while item is not end:
        size, following = size_of(item), next(stream, end)
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
        item = following
    while held:
        k = int(rng.random() * len(held))
        held[k], held[-1] = held[-1], held[k]
        yield held.pop()[0]
