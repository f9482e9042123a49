# Loops that say everything, one step at a time.
def fa_collate(samples: Sequence):
    if len(samples) == 0:
        raise ValueError("no samples, no batch")
    kind = samples[0]
    if isinstance(kind, str) or isinstance(kind, bytes):
        return [sample for sample in samples]
    if isinstance(kind, Mapping):
        gathered = {}
        for key in kind:
            gathered[key] = []
        for sample in samples:
            if set(sample) != set(kind):
                raise ValueError("keys differ")
            for key in kind:
                gathered[key].append(sample[key])
        for key in gathered:
            gathered[key] = fa_collate(gathered[key])
        return rebuild(kind, gathered)
    if isinstance(kind, Sequence):
        columns = []
        for sample in samples:
            if len(sample) != len(kind):
                raise ValueError("lengths differ")
        for position in range(len(kind)):
            columns.append(fa_collate([sample[position] for sample in samples]))
        return rebuild(kind, columns)
    stacked = stack(samples)
    if isinstance(kind, Tensor) and type(kind) is not Tensor:
        stacked = type(kind)(stacked.data)
    return stacked


def collate_error(e: Exception, batch: Sequence):
    count = {}
    for item in batch:
        count[describe(item)] = count.get(describe(item), 0) + 1
    usual = max(count, key=count.get)
    message = ""
    for position in range(len(batch)):
        if describe(batch[position]) != usual:
            message += f"item {position}: {difference(describe(batch[position]), usual)}\n"
    if message == "":
        raise e
    raise ValueError(message) from e


def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    bucket = []
    for thing in items:
        bucket.append(thing)
        if len(bucket) == size:
            yield bucket
            bucket = []
    if bucket and not drop_last:
        yield bucket


class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if self.indexed and self.n is not None:
            order = list(range(self.n))
            if self.shuffle:
                order = self.shuffle_fn(order)
            return order
        if self.n is not None:
            return [None] * self.n
        return itertools.count() if self.indexed else itertools.repeat(None)

    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        shuffled = list(idxs)
        for last in range(len(shuffled) - 1, 0, -1):
            other = int(self.rng.integers(0, last + 1))
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled

    def create_item(self, s):
        if not self.indexed:
            if s is None:
                return next(self.it)
            raise IndexError("streams have no indices")
        return self.read(s or 0)

    def do_item(self, s):
        self.aim(s)
        try:
            item = self.call("create_item", s)
            item = self.call("after_item", item)
        except SkipItemException:
            item = None
        return item

    def do_batch(self, items):
        before = self.before_batch(items)
        batch = self.create_batch(before)
        return self.retain(batch, items)

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
            yield self.do_batch(piece)


def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    import heapq

    waiting, turn = [], 0
    for number, result in results:
        heapq.heappush(waiting, (number, [result]))
        del result
        while waiting and waiting[0][0] == turn:
            yield heapq.heappop(waiting)[1].pop()
            turn += 1


class DistributedSampler:
    def __len__(self) -> int:
        full, rest = divmod(len(self.dataset), self.num_replicas)
        if rest and not self.drop_last:
            full += 1
        return full

    def __iter__(self) -> Iterator[int]:
        indices = list(range(len(self.dataset)))
        if self.shuffle:
            indices = (
                np.random.default_rng([self.seed, self.epoch]).permutation(len(indices)).tolist()
            )
        total = len(self) * self.num_replicas
        while len(indices) < total:
            indices += indices[: total - len(indices)]
        for position in range(self.rank, total, self.num_replicas):
            yield indices[position]


def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name in records:
        alone = [rate for count, rate in records[name] if count == 0][0]
        xs, ys = [], []
        for count, rate in sorted(records[name]):
            xs.append(count)
            ys.append(rate / alone)
        ax.plot(xs, ys, "o-", label=name)
    ax.set_ylim(0)
    ax.set_xlabel("worker processes")
    ax.set_ylabel("speed-up over 0 workers (x)")
    ax.legend()
    return ax
