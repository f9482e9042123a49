# "Easier to ask forgiveness than permission": next, KeyError, StopIteration, deque.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    try:
        steps[name]
    except KeyError:
        return dict([*steps.items(), (name, settings)])
    raise ValueError(f".{name}() has already been called on this loader")


def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    try:
        columns = list(dict.items(transform))
    except TypeError:  # no dict
        columns = None
    if columns is None:
        return transform(row, **kwargs)
    result = {}
    for name, function in columns:
        result[name] = [row[name]]  # boxed, so that None is a value as any other
        while function is not None:
            result[name] = [function(row[name])]
            break
    return {name: value for name, [value] in result.items()}


def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    from collections import deque

    rng, stream, held, used = np.random.default_rng(seed), iter(items), deque(), 0

    def out():
        nonlocal used
        held.rotate(-int(rng.random() * len(held)))
        item, size = held.popleft()
        used -= size
        return item

    while True:
        try:
            item = next(stream)
        except StopIteration:
            break
        size = size_of(item)
        while held and used + size > max_bytes:
            yield out()
        if not held:
            used = 0
        if size > max_bytes:
            yield item
            continue
        held.append((item, size))
        used += size
    while True:
        try:
            item = out()
        except IndexError:  # nothing is held any more
            return
        yield item


def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    iterator, ended = iter(stream), False
    while not ended:
        batch = []
        try:
            while len(batch) < batch_size:
                batch.append(next(iterator))
        except StopIteration:
            ended = True
        if len(batch) == batch_size or (batch and not drop_last):
            yield batch


def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    try:
        if rank < 0:
            raise IndexError
        place = range(world_size)[rank]
    except IndexError:
        raise ValueError(
            f"a rank is one of 0..world_size-1, got rank={rank} of world_size={world_size}"
        ) from None

    def mine():
        iterator = iter(stream)
        while True:
            try:
                for _ in range(place):
                    next(iterator)
                item = next(iterator)
                if even:
                    for _ in range(place + 1, world_size):
                        next(iterator)
            except StopIteration:
                return
            yield item
            if not even:
                try:
                    for _ in range(place + 1, world_size):
                        next(iterator)
                except StopIteration:
                    return

    return mine()


class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        next(islice(plan, self.batches, self.batches), None)
        batches = load(plan)
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                break
            self.batches += 1
            yield batch
        self.epoch += 1
        self.batches = 0
