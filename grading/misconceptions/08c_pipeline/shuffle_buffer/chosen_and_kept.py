# What a student believed: A held item may be handed out again, as long as the new one takes its
# place later.
# caught by: test_shuffle_buffer
# reads: Every item comes out once, whatever it is and however large.
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:

    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        if size > max_bytes:
            while held:
                yield held.pop(int(rng.random() * len(held)))[0]
            total = 0
            yield item
            continue
        if total + size > max_bytes:
            yield held[int(rng.random() * len(held))][0]
            held[int(rng.random() * len(held))] = (item, size)
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
