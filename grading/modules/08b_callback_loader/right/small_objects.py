# Closures, small objects, deques, Fractions; each rule has a name.
def _parts_of(sample):
    """(how its parts are found, {place: part}), or None for a leaf."""
    if isinstance(sample, (str, bytes)):
        return None
    if isinstance(sample, Mapping):
        return "mapping", {key: sample[key] for key in sample.keys()}
    if isinstance(sample, Sequence):
        return "sequence", dict(enumerate(sample))
    return None


def _put_together(like, kind, parts):
    return rebuild(like, parts if kind == "mapping" else list(parts.values()))


def fa_collate(samples: Sequence):
    if len(samples) < 1:
        raise ValueError("there is no batch of 0 samples")
    first, *others = samples
    if isinstance(first, (str, bytes)):
        return [first, *others]
    structure = _parts_of(first)
    if structure is None:
        if any(_parts_of(other) is not None for other in others):
            raise ValueError("some samples have parts, the first has none")
        if isinstance(first, Tensor):
            return type(first)(stack(samples).data)
        return stack(samples)
    kind, places = structure
    columns = {place: [part] for place, part in places.items()}
    for other in others:
        found = _parts_of(other)
        if found is None or found[0] != kind or found[1].keys() != places.keys():
            raise ValueError(f"a sample has not the parts {list(places)} of the first")
        for place, part in found[1].items():
            columns[place].append(part)
    return _put_together(
        first, kind, {place: fa_collate(column) for place, column in columns.items()}
    )


def fa_convert(batch):
    structure = _parts_of(batch)
    if structure is None:
        return Tensor(batch) if isinstance(batch, np.ndarray) else batch
    kind, places = structure
    return _put_together(batch, kind, {place: fa_convert(part) for place, part in places.items()})


def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    from collections import deque

    waiting = deque(maxlen=size)
    for item in items:
        waiting.append(item)
        if len(waiting) == size:
            piece = list(waiting)
            waiting.clear()
            yield piece
            del piece
    if len(waiting) and not drop_last:
        yield list(waiting)


class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        limits = () if self.n is None else (self.n,)
        numbers = itertools.islice(itertools.count(), *(limits or (None,)))
        idxs = numbers if self.indexed else itertools.repeat(None, *limits)
        if not self.shuffle:
            return idxs
        return self.shuffle_fn(list(idxs) if limits else idxs)

    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        yield from (self.after_batch(batch) for batch in self.load(self.get_idxs()))
        self.after_iter()


def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    from collections import deque

    # a row of boxes from the one that is due on; an empty box waits for its result
    boxes, due = deque([[]]), 0
    for number, result in results:
        while len(boxes) <= number - due:
            boxes.append([])
        boxes[number - due].append(result)
        del result
        while boxes and boxes[0]:
            due += 1
            yield boxes.popleft().pop()


def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    words = []
    for number in (seed, epoch, index):
        digits = []
        number = int(number)
        while number:
            number, digit = divmod(number, 2**32)
            digits.append(digit)
        words += [len(digits), *digits]  # the length says where a number ends
    return np.random.default_rng([len(words), *words])


class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        rng, left, drawn = self.next_rng(), self.weights.copy(), []
        while len(drawn) < self.num_samples:
            # a wheel whose widest slot is 1; who leaves it takes his slot along
            ends = np.cumsum(left / left.max())
            turns = self.num_samples if self.replacement else 1
            places = rng.random(turns) * ends[-1]
            found = np.searchsorted(ends, places, side="right").tolist()
            drawn += found
            if not self.replacement:
                left[found] = 0
        return iter(drawn)


def overlap_speed_up(
    item_seconds: float, batch_size: int, step_seconds: float, num_workers: int
) -> float:
    from fractions import Fraction

    loading, step = Fraction(item_seconds) * batch_size, Fraction(step_seconds)
    return float((loading + step) / max(loading / num_workers, step))
