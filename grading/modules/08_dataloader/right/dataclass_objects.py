# Style: a small object for every idea.
import dataclasses
import functools
import statistics


@functools.cache
def _group_class():
    @dataclasses.dataclass(frozen=True)
    class Group:
        """What Chan, Golub and LeVeque keep of a group of values."""

        count: int
        mean: np.ndarray
        squares: np.ndarray

        @classmethod
        def of(cls, x):
            axes = axes_but_channel(x.ndim)
            n = x.size // x.shape[1]
            return cls(n, x.mean(axis=axes), x.var(axis=axes) * n)

        def __add__(self, other):
            n, d = self.count + other.count, other.mean - self.mean
            between = d**2 * self.count * other.count / n
            return Group(
                n,
                self.mean + d * other.count / n,
                self.squares + other.squares + between,
            )

        @property
        def std(self):
            return np.sqrt(self.squares / self.count)

    return Group


@functools.cache
def _stopwatch_class():
    @dataclasses.dataclass
    class Stopwatch:
        clock: Callable
        samples: int = 0
        seconds: float = 0.0

        def run(self, loader):
            started = self.clock()
            self.samples = sum(batch_length(batch) for batch in loader)
            self.seconds = self.clock() - started
            return self

        @property
        def rate(self):
            return self.samples / self.seconds

    return Stopwatch


class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        raise NotImplementedError(f"{self.__class__.__name__} must define __len__")

    @abstractmethod
    def __getitem__(self, index: int):
        raise NotImplementedError(f"{self.__class__.__name__} must define __getitem__")


class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        Group, whole = _group_class(), None
        for batch in loader:
            group = Group.of(images_of(batch))
            whole = group if whole is None else whole + group
        if whole is None:
            raise ValueError("there was no batch to fit")
        self.mean, self.std = whole.mean, whole.std
        return self


def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    for _ in range(warmup):
        for _ in loader:
            pass
    Stopwatch = _stopwatch_class()
    runs = [Stopwatch(clock).run(loader) for _ in range(repeats)]
    return float(statistics.median(run.rate for run in runs))


def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        Memory = dataclasses.make_dataclass("Memory", ["now", "peak"])
        tracemalloc.reset_peak()
        start = Memory(*tracemalloc.get_traced_memory())
        for _ in loader:
            pass
        end = Memory(*tracemalloc.get_traced_memory())
        return end.peak - start.now
    finally:
        if not was_tracing:
            tracemalloc.stop()


class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform = transform
        self.images = np.load(images_path, mmap_mode="r")
        self.labels = np.asarray(np.load(labels_path), dtype=np.int64)
        if self.images.shape[0] != self.labels.shape[0]:
            raise ValueError(f"{self.images.shape[0]} images, but {self.labels.shape[0]} labels")

    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if index < 0 or index >= len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        row = np.empty(self.images.shape[1:], self.images.dtype)
        row[...] = self.images[index]
        label = Tensor(np.array(self.labels[index]))
        return transform_image(self.transform, Tensor(row), rng), label


def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    for name, points in records.items():
        table = np.array(points, dtype=np.float64).reshape(-1, 2)
        ax.plot(table[:, 0], table[:, 1] / 1e6, label=name)
    ax.set_xlabel("time (s)")
    ax.set_ylabel("memory (MB)")
    ax.legend()
    return ax
