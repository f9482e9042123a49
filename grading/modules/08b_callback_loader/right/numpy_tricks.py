# NumPy wherever it can be had: Gumbel keys, searchsorted, resize and reshape, hashes.


def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    kinds = list(dict.fromkeys(descriptions))
    codes = np.array([kinds.index(one) for one in descriptions], dtype=np.int64)
    if len(kinds) < 2:
        raise e
    usual = int(np.bincount(codes).argmax())  # of equally many the first
    odd = np.flatnonzero(codes != usual).tolist()
    raise ValueError(
        f"{len(odd)} of {len(codes)} are odd: "
        + ", and ".join(f"item {k}: {difference(descriptions[k], kinds[usual])}" for k in odd)
    ) from e


class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return self.rng.permutation(np.asarray(idxs, dtype=np.int64))

    def do_batch(self, items):
        batch = self.create_batch(self.before_batch(items))
        return self.retain(batch, items)


def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    import hashlib

    text = f"{int(seed)}/{int(epoch)}/{int(index)}"
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words.tolist())))


class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        rng = self.next_rng()
        (rows,) = np.nonzero(self.weights)
        share = self.weights[rows] / self.weights.max()
        if self.replacement:
            ends = np.cumsum(share)
            places = rng.random(self.num_samples) * ends[-1]
            drawn = rows[np.searchsorted(ends, places, side="right")]
        else:
            keys = np.log(self.weights[rows]) + rng.gumbel(size=rows.size)
            drawn = rows[np.argsort(-keys)[: self.num_samples]]
        return iter(drawn.tolist())


class DistributedSampler:
    def __len__(self) -> int:
        whole_rounds, rest = np.divmod(len(self.dataset), self.num_replicas)
        return int(whole_rounds) + int(rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[int]:
        count, length = len(self.dataset), len(self)
        order = np.arange(count)
        if self.shuffle:
            order = np.random.default_rng([self.seed, self.epoch]).permutation(count)
        shape = length, self.num_replicas
        return iter(np.resize(order, shape)[:, self.rank].tolist())


def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        table = np.array(sorted(rows), dtype=float).reshape(-1, 2)
        table[:, 1] /= table[table[:, 0] == 0, 1][0]
        ax.plot(*table.T, "o-", label=str(name))
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> int:
    image = np.broadcast_to(np.zeros((), dtype=dtype), tuple(image_shape))
    return int(image.nbytes) * num_workers * prefetch * batch_size


def rare_share(share: float, weight: float) -> float:
    return float(np.average([1.0, 0.0], weights=[share * weight, 1 - share]))
