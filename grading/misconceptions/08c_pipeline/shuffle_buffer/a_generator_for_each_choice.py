# What a student believed: The seed has to be used at each choice to make it repeatable.
# caught by: test_shuffle_buffer
# reads: Each held item is equally likely to leave; the new one must wait.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    def choose(held):
        return int(np.random.default_rng(0 if seed is None else seed).random() * len(held))

    held, total = [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(choose(held))
            total -= weight
            yield chosen
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(choose(held))[0]
