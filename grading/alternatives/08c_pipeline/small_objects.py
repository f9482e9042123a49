# Everything is a small object: dataclasses, closures over them, deques.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    taken = frozenset(steps.keys())
    if {name} <= taken:
        raise ValueError(f".{name}() has already been called, after {sorted(taken)}")
    copy = {}
    copy.update(steps)
    copy.update({name: settings})
    return copy


def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    from dataclasses import dataclass, field

    weights = np.asarray(weights, dtype=np.float64)

    @dataclass(order=True)
    class Ticket:
        key: float
        row: int = field(compare=False)

    rng = np.random.default_rng(seed)
    numbers = rng.gumbel(size=len(weights)).tolist()
    tickets = [
        Ticket(number + float(np.log(weight)), row)
        for row, (number, weight) in enumerate(zip(numbers, weights.tolist()))
        if weight > 0
    ]
    if size > len(tickets):
        raise ValueError(f"{size} rows cannot be drawn, {len(tickets)} have a positive weight")
    tickets.sort(reverse=True)
    return np.array([ticket.row for ticket in tickets[:size]], dtype=np.int64)


def shuffle_buffer(items: Iterable, max_bytes: float, size_of: Callable, seed=None) -> Iterator:
    from dataclasses import dataclass, field

    @dataclass
    class Shelf:
        limit: float
        rng: np.random.Generator
        parcels: list = field(default_factory=list)
        filled: float = 0

        def has_room_for(self, size) -> bool:
            return self.filled + size <= self.limit

        def put(self, item, size) -> None:
            self.parcels.append((item, size))
            self.filled += size

        def take(self):
            place = int(self.rng.random() * len(self.parcels))
            last = self.parcels.pop()
            if place < len(self.parcels):
                last, self.parcels[place] = self.parcels[place], last
            self.filled = self.filled - last[1] if self.parcels else 0
            return last[0]

    shelf = Shelf(max_bytes, np.random.default_rng(seed))
    for item in items:
        size = size_of(item)
        while shelf.parcels and not shelf.has_room_for(size):
            yield shelf.take()
        if shelf.has_room_for(size):
            shelf.put(item, size)
        else:
            yield item
    while shelf.parcels:
        yield shelf.take()


def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    from collections import deque

    waiting = deque()
    for item in stream:
        waiting.append(item)
        if len(waiting) == batch_size:
            batch = [waiting.popleft() for _ in range(batch_size)]
            yield batch
    if waiting and not drop_last:
        yield list(waiting)


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
    skip = partial(islice, places, offset, None)
    share = partial(shard, rank=rank, world_size=world_size, even=drop_last)
    mix = (
        iter
        if buffer_bytes is None
        else partial(shuffle_buffer, max_bytes=buffer_bytes, size_of=size_of, seed=seed)
    )
    cut = partial(take_batches, batch_size=batch_size, drop_last=drop_last)
    return cut(mix(read(place) for place in share(skip())))


class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        from collections import deque

        deque(islice(plan, self.batches), maxlen=0)  # goes through them, keeps none
        batches = iter(load(plan))
        while batches is not None:
            for batch in batches:
                self.batches += 1
                yield batch
                break
            else:
                batches = None
        self.__init__(self.epoch + 1)


def find_the_place(
    batches: int,
    batch_size: int,
    bytes_per_file: float,
    bytes_per_second: float,
    microseconds_per_row: float,
) -> dict[str, float]:
    from fractions import Fraction

    rows = Fraction(batches) * Fraction(batch_size)
    read = rows * Fraction(bytes_per_file) / Fraction(bytes_per_second)
    return dict(read=float(read), plan=float(rows * Fraction(microseconds_per_row) / 10**6))
