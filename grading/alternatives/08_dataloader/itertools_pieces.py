# Iterators all the way: islice cuts the order, chain joins files, accumulate runs the transforms.
from itertools import accumulate, chain, islice, repeat, takewhile


class DataLoader:
    def __len__(self) -> int:
        ends = range(self.batch_size, len(self.dataset) + 1, self.batch_size)
        starts = range(0, len(self.dataset), self.batch_size)
        return sum(1 for _ in (ends if self.drop_last else starts))

    def _pieces(self, order):
        indices = iter(order)
        pieces = (list(islice(indices, self.batch_size)) for _ in repeat(None))
        return takewhile(
            lambda piece: len(piece) == self.batch_size if self.drop_last else piece, pieces
        )

    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        for piece in self._pieces(epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)):
            yield self._load(np.array(piece), key)


class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        files = [read_batch(folder / name) for name in (TRAIN_FILES if self.train else TEST_FILES)]
        self.labels = np.fromiter(
            chain.from_iterable(file["labels"] for file in files), dtype=np.int64
        )
        self.images = to_images(np.vstack([file["data"] for file in files]))


class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        def apply(image, step):
            position, transform = step
            return (
                transform(image, rng=at_position(rng, position))
                if rng is not None and accepts(transform, "rng")
                else transform(image)
            )

        *_, result = accumulate(enumerate(self.transforms), apply, initial=image)
        return result


def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    def epoch():
        start = clock()
        samples = sum(map(batch_length, loader))
        return samples / (clock() - start)

    def untimed():
        deque(iter(loader), maxlen=0)

    for _ in repeat(None, warmup):
        untimed()
    return float(np.median([epoch() for _ in repeat(None, repeats)]))


def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        deque(iter(loader), maxlen=0)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_tracing:
            tracemalloc.stop()
