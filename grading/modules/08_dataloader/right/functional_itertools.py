# Style: functional, itertools, no explicit loops where a map will do.
import math
from itertools import chain, count, repeat, takewhile


class TensorDataset:
    def __init__(self, *tensors):
        """Keep the tensors (arrays are wrapped)."""
        wrapped = tuple(map(lambda t: t if isinstance(t, Tensor) else Tensor(t), tensors))
        if not wrapped:
            raise ValueError("TensorDataset needs at least one tensor, got none")
        sizes = [*map(len, wrapped)]
        if any(map(sizes[0].__ne__, sizes)):
            raise ValueError(
                f"All tensors must have same size in first dimension, got sizes {sizes}"
            )
        self.tensors = wrapped

    def __len__(self) -> int:
        return next(map(len, self.tensors))

    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(map(lambda t: Tensor(np.asarray(t.data[index])), self.tensors))


class DataLoader:
    def __len__(self) -> int:
        whole, rest = divmod(len(self.dataset), int(self.batch_size))
        return whole + (rest > 0 and not self.drop_last)

    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        size = int(self.batch_size)
        least = size if self.drop_last else 1
        pieces = map(lambda start: order[start : start + size], count(0, size))
        wanted = takewhile(lambda piece: len(piece) >= least, pieces)
        yield from map(self._load, wanted, repeat(key))


class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        names = TRAIN_FILES if self.train else TEST_FILES
        batches = [*map(read_batch, map(folder.__truediv__, names))]
        self.images = np.concatenate([to_images(batch["data"]) for batch in batches])
        self.labels = np.fromiter(
            chain.from_iterable(batch["labels"] for batch in batches), np.int64
        )


def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    return math.prod(image_shape, start=batch_size) * np.dtype(dtype).itemsize


def order_bytes(num_samples: int, in_list: bool = False) -> int:
    return num_samples * (8, 8 + 32)[bool(in_list)]


def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    return math.prod((models, hours, 1 - max(loading, rest) / (loading + rest)))
