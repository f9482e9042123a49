# What the student believed: one goes out, one comes in, so the bytes stay the same.
# breaks: "**While** it does not fit beside what is held ..., choose one"; sizes
# 1, 1, 1, 3 with max_bytes=3: the last item must come last, all three others before.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng = np.random.default_rng(seed)
    held, sizes, total = [], [], 0
    for item in items:
        size = size_of(item)
        if size > max_bytes:
            while held:
                k = int(rng.random() * len(held))
                held[k], held[-1] = held[-1], held[k]
                yield held.pop()
            sizes, total = [], 0
            yield item
            continue
        if held and total + size > max_bytes:
            k = int(rng.random() * len(held))
            held[k], held[-1] = held[-1], held[k]
            sizes[k], sizes[-1] = sizes[-1], sizes[k]
            total -= sizes.pop()
            yield held.pop()
        held.append(item)
        sizes.append(size)
        total += size
    while held:
        k = int(rng.random() * len(held))
        held[k], held[-1] = held[-1], held[k]
        yield held.pop()
