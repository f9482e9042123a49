# Style: terse; operator, math, fractions, lookups instead of branches.
import math
import operator
from fractions import Fraction


def _must_define(self, method):
    raise NotImplementedError("%s must define %s" % (type(self).__name__, method))


class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        _must_define(self, "__len__")

    @abstractmethod
    def __getitem__(self, index: int):
        _must_define(self, "__getitem__")


class Subset:
    def __len__(self) -> int:
        return operator.length_hint(self.indices)

    def __getitem__(self, index: int):
        n = len(self)
        try:
            # 0..n-1 for the right ones, below or above for all others
            place = (-1, index)[bool(index >= 0)]
            where = range(n)[place] if place >= 0 else n
            return_index = self.indices[where]
        except IndexError:
            raise IndexError(f"Index {index} out of range for dataset of size {n}") from None
        return operator.getitem(self.dataset, return_index)


class DataLoader:
    def __init__(
        self,
        dataset,
        batch_size: int = 32,
        shuffle: bool = False,
        drop_last: bool = False,
        *,
        seed: int | None = None,
        collate_fn: Callable | None = None,
        prefetch: int = 0,
        batch_transform: Callable | None = None,
    ):
        if getattr(dataset, "__len__", None) is None:
            raise TypeError(f"no length: {dataset!r}")
        is_integer = issubclass(type(batch_size), (int, np.integer))
        if not is_integer or type(batch_size) is bool or batch_size < 1:
            raise ValueError(f"batch_size must be an integer of 1 or more, got {batch_size!r}")
        if prefetch < 0:
            raise ValueError(f"prefetch must be 0 or more, got {prefetch}")
        self.dataset, self.batch_size, self.shuffle, self.drop_last = (
            dataset,
            batch_size,
            shuffle,
            drop_last,
        )
        self.seed, self.collate_fn, self.prefetch, self.batch_transform = (
            seed,
            collate_fn,
            prefetch,
            batch_transform,
        )
        self.epoch = 0

    def __len__(self) -> int:
        rounded = (math.ceil, math.floor)[bool(self.drop_last)]
        return rounded(Fraction(len(self.dataset), int(self.batch_size)))


def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    return math.prod(image_shape, start=batch_size) * np.dtype(dtype).itemsize


def order_bytes(num_samples: int, in_list: bool = False) -> int:
    return num_samples * (8, 8 + 32)[bool(in_list)]


def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    return math.prod((models, hours, 1 - max(loading, rest) / (loading + rest)))
