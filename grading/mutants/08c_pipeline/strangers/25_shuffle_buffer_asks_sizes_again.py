# What the student believed: asking for the size again is cheaper than keeping it.
# breaks: "`size_of(item)` is its bytes, asked once per item."; five items of one
# byte, max_bytes=2: size_of is called eight times.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng = np.random.default_rng(seed)
    held, total = [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            k = int(rng.random() * len(held))
            held[k], held[-1] = held[-1], held[k]
            out = held.pop()
            total -= size_of(out)
            yield out
        if size > max_bytes:
            yield item
        else:
            held.append(item)
            total += size
    while held:
        k = int(rng.random() * len(held))
        held[k], held[-1] = held[-1], held[k]
        yield held.pop()
