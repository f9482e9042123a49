# "Easier to ask forgiveness than permission": next, exceptions, flags, heapq, deque.
def fa_collate(samples: Sequence):
    try:
        first = samples[0]
    except IndexError:
        raise ValueError("an empty list of samples cannot be collated") from None
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        parts = {key: [] for key in first}
        for sample in samples:
            try:
                keys = set(sample.keys())
            except AttributeError:
                raise ValueError("a sample is no mapping, unlike the first") from None
            if keys != set(parts):
                raise ValueError(f"keys differ: {sorted(map(str, keys ^ set(parts)))}")
            for key, column in parts.items():
                column.append(sample[key])
        return rebuild(first, {key: fa_collate(parts[key]) for key in parts})
    if isinstance(first, Sequence):
        columns = [[] for _ in first]
        for sample in samples:
            if isinstance(sample, (str, bytes)) or not isinstance(sample, Sequence):
                raise ValueError("a sample is no sequence, unlike the first")
            pairs = itertools.zip_longest(columns, sample, fillvalue=columns)
            for column, part in pairs:
                if column is columns or part is columns:
                    raise ValueError("sequences of one batch need one length")
                column.append(part)
        return rebuild(first, [fa_collate(column) for column in columns])
    batch = stack(samples)
    return type(first)(batch.data) if isinstance(first, Tensor) else batch


def collate_error(e: Exception, batch: Sequence):
    seen = [describe(item) for item in batch]
    try:
        usual = Counter(seen).most_common(1)[0][0]
        k, odd = next((k, one) for k, one in enumerate(seen) if one != usual)
    except (IndexError, StopIteration):
        k = None
    if k is None:
        raise e
    found = []
    while k < len(seen):
        if seen[k] != usual:
            found += [f"item {k}: {difference(seen[k], usual)}"]
        k += 1
    raise ValueError("cannot be collated: " + "; ".join(found)) from e


def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    iterator, ended = iter(items), False
    while not ended:
        piece = []
        while len(piece) < size:
            try:
                piece.append(next(iterator))
            except StopIteration:
                ended = True
                break
        if piece and not (ended and drop_last):
            yield piece


class DataLoader:
    def create_item(self, s):
        if not self.indexed:
            if s is None:
                return next(self.it)
            raise IndexError(f"the dataset is a stream; item {s!r} of a stream cannot be asked for")
        return self.read(s if s is not None else 0)

    def do_item(self, s):
        self.aim(s)
        try:
            item = self.call("create_item", s)
        except SkipItemException:
            return None
        try:
            return self.call("after_item", item)
        except SkipItemException:
            return None

    def do_batch(self, items):
        changed = self.before_batch(items)
        batch = self.create_batch(changed)
        kept = self.retain(batch, items)
        return kept

    def create_batches(self, samples: Iterable) -> Iterator:
        def wanted():
            iterator = iter(samples)
            while True:
                try:
                    item = self.do_item(next(iterator))
                except StopIteration:  # of the samples or of stop()
                    break
                if item is None:
                    continue
                yield item

        return map(self.do_batch, self.chunkify(wanted()))

    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        batches = iter(self.load(self.get_idxs()))
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                break
            yield self.after_batch(batch)
        self.after_iter()


def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    import heapq

    waiting, parcels, due, iterator = [], {}, 0, iter(results)
    while True:
        if waiting and waiting[0] == due:
            heapq.heappop(waiting)
            due += 1
            yield parcels.pop(due - 1)
            continue
        try:
            number, parcels[number] = next(iterator)
        except StopIteration:
            return
        heapq.heappush(waiting, number)


def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return epoch_key(seed, epoch).generator(index)


class DistributedSampler:
    def __len__(self) -> int:
        each, left = divmod(len(self.dataset), self.num_replicas)
        try:
            return each + [bool(left)][bool(self.drop_last)]
        except IndexError:
            return each

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            rng = np.random.default_rng([self.seed, self.epoch])
            order = rng.permutation(count).tolist()
        else:
            order = list(range(count))
        length = len(self) * self.num_replicas
        while len(order) < length:
            order.extend(order[: length - len(order)])
        return iter(order[self.rank : length : self.num_replicas])


def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name in records:
        rates = dict(records[name])
        counts = sorted(rates)
        gains = []
        for count in counts:
            gains.append(rates[count] / rates[0])
        (line,) = ax.plot(counts, gains, marker="x")
        line.set_label(name)
    ax.legend(loc="best")
    ax.set_xlabel("worker processes")
    ax.set_ylabel("speed-up over 0 workers (x)")
    ax.set_ylim(bottom=0)
    return ax
