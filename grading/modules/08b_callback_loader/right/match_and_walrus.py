# Newer syntax: match with class patterns, walrus, strict zip, dict unions.
def fa_collate(samples: Sequence):
    if len(samples) == 0:
        raise ValueError("fa_collate needs at least one sample")
    match samples[0]:
        case str() | bytes():
            return [*samples]
        case Mapping() as first:
            for sample in samples:
                match sample:
                    case Mapping() if sample.keys() == first.keys():
                        pass
                    case _:
                        raise ValueError(f"expected the keys {list(first)}")
            parts = {k: fa_collate([sample[k] for sample in samples]) for k in first}
            return rebuild(first, parts)
        case Sequence() as first:
            for sample in samples:
                match sample:
                    case str() | bytes():
                        raise ValueError("a text among sequences")
                    case Sequence():
                        pass
                    case _:
                        raise ValueError("a sample without parts among sequences")
            columns = zip(*samples, strict=True)
            return rebuild(first, [fa_collate(column) for column in columns])
        case Tensor() as first if (kind := type(first)) is not Tensor:
            return kind(stack(samples).data)
        case _:
            return stack(samples)


def collate_error(e: Exception, batch: Sequence):
    match Counter(seen := [describe(item) for item in batch]).most_common():
        case [(usual, _), _, *_]:
            odd = {k: one for k, one in enumerate(seen) if one != usual}
            lines = [f"item {k}: {difference(one, usual)}" for k, one in odd.items()]
            raise ValueError("\n".join(["these are unlike most:", *lines])) from e
        case _:
            raise e


def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    iterator = iter(items)
    while piece := [*itertools.islice(iterator, size)]:
        match len(piece) < size, bool(drop_last):
            case (True, True):
                return
            case (short, _):
                yield piece
                if short:
                    return


class DataLoader:
    def get_idxs(self) -> Iterable:
        match self.sampler, self.indexed, self.n:
            case (None, True, None):
                idxs = itertools.count()
            case (None, True, n):
                idxs = range(n)
            case (None, _, None):
                idxs = itertools.repeat(None)
            case (None, _, n):
                idxs = itertools.repeat(None, n)
            case (sampler, _, _):
                return sampler
        return self.shuffle_fn(idxs) if self.shuffle else idxs

    def create_item(self, s):
        match self.indexed, s:
            case (True, None):
                return self.read(0)
            case (True, index):
                return self.read(index)
            case (False, None):
                return next(self.it)
        raise IndexError(f"a stream cannot be indexed; it has no item {s}")

    def do_item(self, s):
        self.aim(s)
        with contextlib.suppress(SkipItemException):
            return self.call("after_item", self.call("create_item", s))
        return None

    def create_batches(self, samples: Iterable) -> Iterator:
        kept = (item for item in map(self.do_item, samples) if item is not None)
        yield from (self.do_batch(piece) for piece in self.chunkify(kept))


def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    iterator, ahead, due, end = iter(results), {}, 0, object()
    while True:
        while due in ahead:
            yield ahead.pop(due)
            due += 1
        match next(iterator, end):
            case (number, _) as pair:
                ahead[number] = pair[1]
                del pair
            case _:
                return


class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        rng, count = self.next_rng(), self.num_samples
        share = self.weights / self.weights.max()
        match bool(self.replacement):
            case True:
                p = share / share.sum()
                return map(int, rng.choice(len(p), size=count, p=p))
            case False:
                # the shortest waiting times; in logarithms, so that none is infinite
                rows = np.flatnonzero(self.weights)
                waiting = np.log(rng.standard_exponential(len(rows)))
                waiting -= np.log(self.weights[rows])
                return map(int, rows[np.argsort(waiting)][:count])
