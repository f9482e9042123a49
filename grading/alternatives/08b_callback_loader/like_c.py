# Verbose loops with counters, as in C.
def fa_collate(samples: Sequence):
    count = len(samples)
    if count == 0:
        raise ValueError("there are no samples to collate")
    first = samples[0]
    if isinstance(first, str) or isinstance(first, bytes):
        texts = []
        for k in range(count):
            texts.append(samples[k])
        return texts
    if isinstance(first, Mapping):
        for k in range(1, count):
            if not isinstance(samples[k], Mapping):
                raise ValueError(f"sample {k} is no mapping, the first one is")
            if set(samples[k].keys()) != set(first.keys()):
                raise ValueError(f"sample {k} has other keys than the first one")
        parts = {}
        for key in first:
            column = []
            for k in range(count):
                column.append(samples[k][key])
            parts[key] = fa_collate(column)
        return rebuild(first, parts)
    if isinstance(first, Sequence):
        width = len(first)
        for k in range(1, count):
            other = samples[k]
            if not isinstance(other, Sequence) or isinstance(other, (str, bytes)):
                raise ValueError(f"sample {k} is no sequence, the first one is")
            if len(other) != width:
                raise ValueError(f"sample {k} has {len(other)} parts, not {width}")
        columns = []
        for j in range(width):
            column = []
            for k in range(count):
                column.append(samples[k][j])
            columns.append(fa_collate(column))
        return rebuild(first, columns)
    for k in range(1, count):
        other = samples[k]
        if isinstance(other, Mapping) or (
            isinstance(other, Sequence) and not isinstance(other, (str, bytes))
        ):
            raise ValueError(f"sample {k} has parts, the first one has none")
    stacked = stack(samples)
    if isinstance(first, Tensor) and type(first) is not Tensor:
        stacked = type(first)(stacked.data)
    return stacked


def collate_error(e: Exception, batch: Sequence):
    descriptions = []
    counts = {}
    for item in batch:
        description = describe(item)
        descriptions.append(description)
        if description not in counts:
            counts[description] = 0
        counts[description] += 1
    usual = None
    most = 0
    for description in counts:  # in the order in which they came
        if counts[description] > most:
            usual = description
            most = counts[description]
    message = ""
    for k in range(len(descriptions)):
        if descriptions[k] != usual:
            if message != "":
                message += "; "
            message += "item " + str(k) + ": " + difference(descriptions[k], usual)
    if message == "":
        raise e
    raise ValueError("not all are alike: " + message) from e


def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    piece = []
    for item in items:
        piece.append(item)
        if len(piece) == size:
            full = piece
            piece = []
            yield full
    if len(piece) > 0:
        if not drop_last:
            yield piece


class DataLoader:
    def create_item(self, s):
        if self.indexed:
            if s is None:
                s = 0
            return self.read(s)
        if s is not None:
            raise IndexError(f"this dataset is a stream, it has no item {s!r}")
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        result = None
        try:
            item = self.call("create_item", s)
            result = self.call("after_item", item)
        except SkipItemException:
            result = None
        return result

    def create_batches(self, samples: Iterable) -> Iterator:
        def items():
            for s in samples:
                try:
                    item = self.do_item(s)
                except StopIteration:
                    return
                if item is not None:
                    yield item

        for piece in self.chunkify(items()):
            batch = self.do_batch(piece)
            yield batch

    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        idxs = self.get_idxs()
        batches = self.load(idxs)
        for batch in batches:
            changed = self.after_batch(batch)
            yield changed
        self.after_iter()


def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    waiting = {}
    due = 0
    for number, result in results:
        waiting[number] = result
        del result
        while due in waiting:
            ready = [waiting[due]]
            del waiting[due]
            due += 1
            yield ready.pop()


class DistributedSampler:
    def __len__(self) -> int:
        samples = len(self.dataset)
        share = samples // self.num_replicas
        if samples % self.num_replicas != 0 and not self.drop_last:
            share += 1
        return share

    def __iter__(self) -> Iterator[int]:
        samples = len(self.dataset)
        order = []
        for k in range(samples):
            order.append(k)
        if self.shuffle:
            generator = np.random.default_rng([self.seed, self.epoch])
            order = generator.permutation(samples).tolist()
        mine = []
        for k in range(len(self)):
            position = self.rank + k * self.num_replicas
            mine.append(order[position % samples])
        return iter(mine)


def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> int:
    total = np.dtype(dtype).itemsize
    for side in image_shape:
        total *= int(side)
    total *= batch_size
    total *= num_workers
    total *= prefetch
    return total


def overlap_speed_up(
    item_seconds: float, batch_size: int, step_seconds: float, num_workers: int
) -> float:
    loading = item_seconds * batch_size
    before = loading + step_seconds
    after = loading / num_workers
    if after < step_seconds:
        after = step_seconds
    return before / after
