# Style: coroutines, context managers, generators that feed each other.
import contextlib
import operator


class TensorDataset:
    def __len__(self) -> int:
        return self.tensors[0].shape[0]

    def __getitem__(self, index: int) -> tuple:
        if operator.index(index) not in range(len(self)):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return (*(Tensor(np.array(t.data[index])) for t in self.tensors),)


def stack_samples(values: Sequence) -> Tensor:
    def arrays():
        for leaf in values:
            yield leaf.data if isinstance(leaf, Tensor) else np.asarray(leaf)

    def complaints(kept):
        for position, array in enumerate(kept):
            if array.shape != kept[0].shape:
                yield f"position {position} has {array.shape}"

    kept = list(arrays())
    if not kept:
        raise ValueError("there is nothing to stack")
    if wrong := list(complaints(kept)):
        raise ValueError("; ".join([f"position 0 has {kept[0].shape}", *wrong]))
    first, *others = kept
    dtype = first.dtype
    for array in others:
        dtype = np.promote_types(dtype, array.dtype)
    out = np.empty((len(kept), *first.shape), dtype)
    return Tensor(np.stack(kept, out=out))


class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)

        def cut(order, size):
            while len(order) >= size:
                piece, order = np.split(order, [size])
                yield piece
            if len(order) and not self.drop_last:
                yield order

        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        return (self._load(piece, key) for piece in cut(order, int(self.batch_size)))


def _merger():
    """Send it (n, mean, S) of a batch; it hands back those of all so far."""
    n, mean, squares = yield
    while True:
        n_b, m_b, s_b = yield n, mean, squares
        d, before, n = m_b - mean, n, n + n_b
        mean = mean + d * n_b / n
        squares = squares + s_b + d * d * before * n_b / n


class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        merger, total = _merger(), None
        next(merger)
        with contextlib.closing(merger):
            for batch in loader:
                x = images_of(batch)
                axes = axes_but_channel(x.ndim)
                n = x.size // x.shape[1]
                mean = x.mean(axis=axes, keepdims=True)
                squares = np.square(x - mean).sum(axis=axes)
                total = merger.send((n, mean.reshape(-1), squares))
        if total is None:
            raise ValueError("no batches came out of the loader")
        self.mean, self.std = total[1], np.sqrt(total[2] / total[0])
        return self


def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    def epochs():
        while True:
            begin = clock()
            samples = sum(map(batch_length, loader))
            yield samples, clock() - begin

    def untimed():
        for _ in range(warmup):
            deque(loader, maxlen=0)

    untimed()
    rates = [samples / spent for _, (samples, spent) in zip(range(repeats), epochs())]
    return float(np.median(rates))


def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:

        @contextlib.contextmanager
        def peak_above_start():
            tracemalloc.reset_peak()
            start, _ = tracemalloc.get_traced_memory()
            yield lambda: tracemalloc.get_traced_memory()[1] - start

        with peak_above_start() as peak:
            for _ in loader:
                pass
            return peak()
    finally:
        if not was_tracing:
            tracemalloc.stop()


class RandomHorizontalFlip:
    def __init__(self, p: float = 0.5, seed: int | None = None):
        if min(max(p, 0), 1) != p:
            raise ValueError(f"p is a probability from 0 to 1, got {p}")
        self.p, self.rng = p, np.random.default_rng(seed)

    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        out = np.empty_like(x)
        np.copyto(out, np.flip(x, axis=2) if rng.random() < self.p else x)
        return like(image, out)


class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform = transform
        self.images = np.lib.format.open_memmap(images_path, mode="r")
        self.labels = np.load(labels_path).astype(np.int64)
        counts = {"images": len(self.images), "labels": len(self.labels)}
        if len(set(counts.values())) != 1:
            raise ValueError(f"lengths must be equal, got {counts}")

    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if operator.index(index) not in range(len(self)):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        image = Tensor(np.array(self.images[index], subok=False))
        label = Tensor(self.labels[index])
        return transform_image(self.transform, image, rng), label


def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    wanted, size = np.asarray(indices, dtype=np.intp), len(dataset)
    if wanted.size and not 0 <= wanted.min() <= wanted.max() < size:
        raise IndexError(f"indices must be 0..{size - 1}, got {wanted.tolist()}")

    def gathered():
        for tensor in dataset.tensors:
            yield Tensor(tensor.data.take(wanted, axis=0))

    return tuple(gathered())


def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is None and hasattr(loader.dataset, "__getitems__"):
        batch = loader.dataset.__getitems__(indices)
        if isinstance(batch, list):
            batch = loader._collate_batch(batch)
        return transform_batch(loader.batch_transform, batch, key, indices)
    return load_one_by_one(loader, indices, key)
