# What the student believed: a seeded choice needs a generator made from the seed.
# breaks: "choose one of the **held** items, all equally likely"; 1000 items of one
# byte, max_bytes=10, seed=0: most of the first ten items leave only at the end.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    held, total = [], 0

    def take():
        k = int(np.random.default_rng(seed).random() * len(held))
        held[k], held[-1] = held[-1], held[k]
        return held.pop()

    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            out, room = take()
            total -= room
            yield out
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield take()[0]
