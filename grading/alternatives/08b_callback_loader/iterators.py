# Functional style: partial, itertools, operator; as few statements as can be.
def fa_collate(samples: Sequence):
    import operator

    def refuse(text):
        raise ValueError(text)

    def mapping(first):
        same = all(isinstance(one, Mapping) and one.keys() == first.keys() for one in samples)
        return (
            rebuild(
                first,
                {key: fa_collate(list(map(operator.itemgetter(key), samples))) for key in first},
            )
            if same
            else refuse("mappings of one batch need the same keys")
        )

    def sequence(first):
        same = all(
            isinstance(one, Sequence)
            and not isinstance(one, (str, bytes))
            and len(one) == len(first)
            for one in samples
        )
        return (
            rebuild(first, list(map(fa_collate, map(list, zip(*samples)))))
            if same
            else refuse("sequences of one batch need the same length")
        )

    kinds = (
        ((str, bytes), lambda first: list(samples)),
        (Mapping, mapping),
        (Sequence, sequence),
        (Tensor, lambda first: type(first)(stack(samples).data)),
        (object, lambda first: stack(samples)),
    )
    return (
        next(make for kind, make in kinds if isinstance(samples[0], kind))(samples[0])
        if len(samples)
        else refuse("a batch needs at least one sample, got none")
    )


def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, Mapping):
        return rebuild(batch, dict(zip(batch, map(fa_convert, batch.values()))))
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, list(map(fa_convert, batch)))
    return batch


def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    iterator = (item for item in items)
    pieces = iter(lambda: list(itertools.islice(iterator, size)), [])
    yield from filter(lambda piece: len(piece) == size or not drop_last, pieces)


class DataLoader:
    def get_idxs(self) -> Iterable:
        def endless():
            return itertools.count() if self.indexed else itertools.repeat(None)

        def counted():
            return range(self.n) if self.indexed else itertools.repeat(None, self.n)

        if self.sampler is not None:
            return self.sampler
        idxs = (endless if self.n is None else counted)()
        return (self.shuffle_fn if self.shuffle else lambda same: same)(idxs)

    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return list(map(idxs.__getitem__, self.rng.permutation(len(idxs)).tolist()))

    def do_batch(self, items):
        hooks = (self.before_batch, self.create_batch, lambda b: self.retain(b, items))
        return functools.reduce(lambda value, hook: hook(value), hooks, items)

    def create_batches(self, samples: Iterable) -> Iterator:
        items = map(self.do_item, samples)
        kept = itertools.filterfalse(lambda item: item is None, items)
        return map(self.do_batch, self.chunkify(kept))

    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        yield from map(self.after_batch, self.load(self.get_idxs()))
        self.after_iter()


def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    results, ahead = iter(results), {}
    for due in itertools.count():
        while due not in ahead:
            try:
                ahead.update([next(results)])
            except StopIteration:
                return
        yield ahead.pop(due)


def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    # the text of three numbers as one number: no two triples have the same
    text = ",".join(map(str, map(int, (seed, epoch, index))))
    return np.random.default_rng(int.from_bytes(text.encode(), "big"))


def rare_share(share: float, weight: float) -> float:
    rare, others = share * weight, (1 - share) * 1
    return rare / math.fsum((rare, others))
