# What a student believed: A dict {item: size} keeps the sizes beside the items.
# caught by: test_shuffle_buffer
# reads: Every item comes out once, whatever it is and however large.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held = np.random.default_rng(seed), {}

    def draw():
        chosen = list(held)[int(rng.random() * len(held))]
        del held[chosen]
        return chosen

    for item in items:
        size = size_of(item)
        while held and sum(held.values()) + size > max_bytes:
            yield draw()
        if size > max_bytes:
            yield item
        else:
            held[item] = size
    while held:
        yield draw()
