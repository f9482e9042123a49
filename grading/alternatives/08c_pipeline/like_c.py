# Verbose loops with counters and flags, as in C.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    result = {}
    for key in steps:
        if key == name:
            raise ValueError("." + name + "() has already been called on this loader")
        result[key] = steps[key]
    result[name] = settings
    return result


def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    if transform is None:
        return row
    if not isinstance(transform, dict):
        return transform(row, **kwargs)
    result = dict()
    for column in transform.keys():
        value = row[column]
        function = transform[column]
        if function is not None:
            value = function(value)
        result[column] = value
    return result


def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    generator = np.random.default_rng(seed)
    held = []
    held_sizes = []
    held_bytes = 0
    for item in items:
        item_bytes = size_of(item)
        while len(held) > 0:
            if held_bytes + item_bytes <= max_bytes:
                break
            position = int(generator.random() * len(held))
            last = len(held) - 1
            chosen = held[position]
            held[position] = held[last]
            held_bytes -= held_sizes[position]
            held_sizes[position] = held_sizes[last]
            del held[last]
            del held_sizes[last]
            yield chosen
        if len(held) == 0:
            held_bytes = 0
        if item_bytes > max_bytes:
            yield item
        else:
            held.append(item)
            held_sizes.append(item_bytes)
            held_bytes += item_bytes
    # Fisher and Yates, from the end
    remaining = len(held)
    while remaining > 0:
        position = int(generator.random() * remaining)
        remaining -= 1
        chosen = held[position]
        held[position] = held[remaining]
        del held[remaining]
        yield chosen


def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    batch = []
    for item in stream:
        batch.append(item)
        if len(batch) == batch_size:
            full = batch
            batch = []
            yield full
    if len(batch) > 0 and not drop_last:
        yield batch


def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    if rank < 0 or rank >= world_size:
        raise ValueError(f"rank is {rank}, but there are {world_size} ranks, from 0 on")
    position = 0
    mine = None
    for item in stream:
        if position == rank:
            mine = item
            if not even:
                yield mine
        position += 1
        if position == world_size:
            position = 0
            if even:
                yield mine


def plan_epoch(
    places: Iterable[int],
    read: Callable,
    size_of: Callable,
    seed=None,
    *,
    offset: int = 0,
    rank: int = 0,
    world_size: int = 1,
    buffer_bytes: float | None = None,
    batch_size: int = 1,
    drop_last: bool = False,
) -> Iterator[list]:
    def from_offset():
        number = 0
        for place in places:
            if number >= offset:
                yield place
            number += 1

    def rows():
        for place in shard(from_offset(), rank, world_size, drop_last):
            yield read(place)

    stream = rows()
    if buffer_bytes is not None:
        stream = shuffle_buffer(stream, buffer_bytes, size_of, seed)
    for batch in take_batches(stream, batch_size, drop_last):
        yield batch


class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        to_skip = self.batches

        def rest():
            number = 0
            for one in plan:
                if number >= to_skip:
                    yield one
                number += 1

        for batch in load(rest()):
            self.batches = self.batches + 1
            yield batch
        self.epoch = self.epoch + 1
        self.batches = 0


def shuffle_quality(order: Sequence[int]) -> float:
    order = np.asarray(order, dtype=np.int64)
    count = len(order)
    if count < 2:
        raise ValueError("there must be 2 rows or more, got " + str(count))
    moved = 0
    for k in range(count):
        distance = int(order[k]) - k
        if distance < 0:
            distance = -distance
        moved += distance
    return (moved / count) * (3 * count) / (count * count - 1)


def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    bytes_in_buffer = buffer_size * 1_000_000
    seconds = bytes_in_buffer / bytes_per_second
    return seconds
