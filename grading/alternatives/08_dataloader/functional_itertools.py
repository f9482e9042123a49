# Style: functional, itertools, no explicit loops where a map will do.
import hashlib
from functools import reduce
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


def _seed_for(seed, epoch):
    if seed is None:
        return None
    text = f"{int(seed)}/{int(epoch)}".encode()
    return int.from_bytes(hashlib.sha256(text).digest(), "big")


def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    straight = np.fromiter(range(num_samples), dtype=np.int64, count=num_samples)
    if not shuffle:
        return straight
    return np.random.default_rng(_seed_for(seed, epoch)).permutation(straight)


def stack_samples(values: Sequence) -> Tensor:
    arrays = [v.data if isinstance(v, Tensor) else np.asarray(v) for v in values]
    if not arrays:
        raise ValueError("cannot stack an empty list of values")
    shapes = [*map(np.shape, arrays)]
    odd = [*filter(lambda pair: pair[1] != shapes[0], enumerate(shapes))]
    if odd:
        raise ValueError(
            f"position 0 has shape {shapes[0]}, but "
            + ", ".join(f"position {k} has shape {shape}" for k, shape in odd)
        )
    return Tensor(np.stack(arrays))


def _kind(sample):
    kinds = (kind for kind in (tuple, list, dict) if isinstance(sample, kind))
    return next(kinds, None)


def collate(samples: Sequence):
    samples = list(samples)
    if not samples:
        raise ValueError("cannot collate an empty list of samples")
    kinds = list(map(_kind, samples))
    if any(kind is not kinds[0] for kind in kinds):
        raise ValueError(f"samples of a batch need one structure, got {kinds}")
    if kinds[0] is None:
        return stack_samples(samples)
    if kinds[0] is dict:
        if any(sample.keys() != samples[0].keys() for sample in samples):
            raise ValueError(f"dicts need the same keys, got {[*map(list, samples)]}")
        return {key: collate([s[key] for s in samples]) for key in samples[0]}
    if len(set(map(len, samples))) > 1:
        raise ValueError(f"samples need one length, got {[*map(len, samples)]}")
    make = getattr(samples[0], "_make", kinds[0])
    return make(map(collate, zip(*samples)))


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


def _merge(a, b):
    (n_a, m_a, s_a), (n_b, m_b, s_b) = a, b
    n, d = n_a + n_b, m_b - m_a
    return n, m_a + d * n_b / n, s_a + s_b + d * d * n_a * n_b / n


def _summary(batch):
    x = images_of(batch)
    axes = axes_but_channel(x.ndim)
    return x.size // x.shape[1], x.mean(axis=axes), x.var(axis=axes) * (x.size // x.shape[1])


class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        total = reduce(
            lambda known, new: new if known is None else _merge(known, new),
            map(_summary, loader),
            None,
        )
        if total is None:
            raise ValueError("fit_batches needs at least one batch, got none")
        n, self.mean, squares = total
        self.std = np.sqrt(squares / n)
        return self


def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices, n = np.asarray(indices, dtype=np.int64), len(dataset)
    outside = indices[(indices < 0) | (indices >= n)]
    if outside.size:
        raise IndexError(f"Index {outside[0]} out of range for dataset of size {n}")
    return tuple(map(lambda t: Tensor(np.take(t.data, indices, axis=0)), dataset.tensors))
