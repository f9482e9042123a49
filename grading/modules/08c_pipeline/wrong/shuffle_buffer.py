# %% rest_is_forgotten: When the stream has ended, so has the epoch. (promises 1, 10)
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size


# %% counts_items: A buffer holds a number of rows; max_bytes is that number. (promises
# 2, 5)
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held = np.random.default_rng(seed), []
    for item in items:
        size_of(item)
        while held and len(held) >= max_bytes:
            yield held.pop(int(rng.random() * len(held)))
        if max_bytes < 1:
            yield item
        else:
            held.append(item)
    while held:
        yield held.pop(int(rng.random() * len(held)))


# %% fill_and_empty: Fill the buffer, shuffle it, hand it all out, fill it again.
# (promise 3)
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        if total + size > max_bytes:
            while held:
                yield held.pop(int(rng.random() * len(held)))
            total = 0
        if size > max_bytes:
            yield item
        else:
            held.append(item)
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))


# %% rest_in_order: The rest was mixed when it went into the buffer. (promise 6)
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed), [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    for item, _ in held:
        yield item


# %% sizes_asked_again: The size can be asked again whenever it is needed. (promise 8)
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held = np.random.default_rng(seed), []
    for item in items:
        size = size_of(item)
        while held and sum(map(size_of, held)) + size > max_bytes:
            yield held.pop(int(rng.random() * len(held)))
        if size > max_bytes:
            yield item
        else:
            held.append(item)
    while held:
        yield held.pop(int(rng.random() * len(held)))


# %% seed_0_is_no_seed: `seed or None` stands for `if seed is given`. (promise 9)
def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    rng, held, total = np.random.default_rng(seed or None), [], 0
    for item in items:
        size = size_of(item)
        while held and total + size > max_bytes:
            chosen, weight = held.pop(int(rng.random() * len(held)))
            total -= weight
            yield chosen
        if size > max_bytes:
            yield item
        else:
            held.append((item, size))
            total += size
    while held:
        yield held.pop(int(rng.random() * len(held)))[0]
