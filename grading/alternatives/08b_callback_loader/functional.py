# As few statements as possible: dispatch tables, map, filter, iter with a sentinel.
def fa_collate(samples: Sequence):
    if not samples:
        raise ValueError("a batch of nothing")
    first, shapes = (
        samples[0],
        {len(sample) if isinstance(sample, Sequence) else 0 for sample in samples},
    )
    if isinstance(first, Mapping):
        if len(set(map(frozenset, samples))) != 1:
            raise ValueError("other keys")
        return rebuild(
            first,
            dict(
                zip(
                    first,
                    map(fa_collate, zip(*([sample[key] for key in first] for sample in samples))),
                )
            ),
        )
    if isinstance(first, (str, bytes)):
        return [*samples]
    if isinstance(first, Sequence):
        if len(shapes) != 1:
            raise ValueError("other lengths")
        return rebuild(first, list(map(fa_collate, zip(*samples))))
    return (type(first) if isinstance(first, Tensor) else Tensor)(stack(samples).data)


def fa_convert(batch):
    if isinstance(batch, (str, bytes, Tensor)):
        return batch
    if isinstance(batch, Mapping):
        return rebuild(batch, dict(zip(batch, map(fa_convert, batch.values()))))
    if isinstance(batch, Sequence):
        return rebuild(batch, list(map(fa_convert, batch)))
    return Tensor(batch) if isinstance(batch, np.ndarray) else batch


def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    stream = iter(items)
    pieces = iter(lambda: list(itertools.islice(stream, size)), [])
    return (piece for piece in pieces if not drop_last or len(piece) == size)


class DataLoader:
    def get_idxs(self) -> Iterable:
        endless = itertools.count() if self.indexed else itertools.repeat(None)
        idxs = endless if self.n is None else list(itertools.islice(endless, self.n))
        return (
            self.sampler
            if self.sampler is not None
            else self.shuffle_fn(idxs)
            if self.shuffle
            else idxs
        )

    def create_batches(self, samples: Iterable) -> Iterator:
        return map(
            self.do_batch,
            self.chunkify(filter(lambda item: item is not None, map(self.do_item, samples))),
        )

    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        yield from map(self.after_batch, self.load(self.get_idxs()))
        self.after_iter()


def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    early, results = {}, iter(results)
    for turn in itertools.count():
        while turn not in early:
            try:
                number, result = next(results)
            except StopIteration:
                return
            early.update({number: result})
            del result
        yield early.pop(turn)


def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, epoch, index))))
