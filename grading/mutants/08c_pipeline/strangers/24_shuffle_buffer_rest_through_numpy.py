# What the student believed: rng.permutation of a list gives the same objects.
# breaks: "yields every item once"; the items (0, 1), (2, 3) with room for both come
# out as arrays, not as the tuples that went in.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng = np.random.default_rng(seed)
    held, sizes = [], []
    for item in items:
        size = size_of(item)
        while held and sum(sizes) + size > max_bytes:
            k = int(rng.random() * len(held))
            held[k], held[-1] = held[-1], held[k]
            sizes[k], sizes[-1] = sizes[-1], sizes[k]
            sizes.pop()
            yield held.pop()
        if size > max_bytes:
            yield item
        else:
            held.append(item)
            sizes.append(size)
    yield from rng.permutation(held)
