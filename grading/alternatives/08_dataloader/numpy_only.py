# Arrays where the reference has Python objects: sizes, pieces, statistics and plots are NumPy
# expressions.
class Subset:
    def __init__(self, dataset, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = np.asarray(indices, dtype=np.int64)

    def __getitem__(self, index: int):
        if index < 0 or index >= self.indices.size:
            raise IndexError(f"Index {index} out of range for dataset of size {self.indices.size}")
        return self.dataset[int(self.indices[index])]


class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        sizes = np.array([tensor.shape[0] for tensor in tensors])
        if sizes.size == 0:
            raise ValueError("give at least one tensor")
        if np.ptp(sizes):
            raise ValueError(f"All tensors must have same size in first dimension, not {sizes}")
        self.tensors = tensors


def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must not be negative: {num_samples}")
    if shuffle:
        entropy = (
            np.random.SeedSequence()
            if seed is None
            else np.random.SeedSequence(entropy=seed, spawn_key=(epoch,))
        )
        return (
            np.random.RandomState(np.random.MT19937(entropy))
            .permutation(num_samples)
            .astype(np.int64)
        )
    return np.cumsum(np.ones(num_samples, dtype=np.int64)) - 1


class DataLoader:
    def __len__(self) -> int:
        batches = np.floor_divide if self.drop_last else lambda n, size: -np.floor_divide(-n, size)
        return int(batches(len(self.dataset), self.batch_size))

    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        cuts = np.arange(self.batch_size, len(order), self.batch_size)
        for indices in np.split(order, cuts):
            if len(indices) == self.batch_size or (len(indices) and not self.drop_last):
                yield self._load(indices, key)


class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        files = [read_batch(folder / name) for name in (TEST_FILES, TRAIN_FILES)[bool(self.train)]]
        self.images = np.concatenate(
            [
                np.stack(np.split(file["data"], 3, axis=1), axis=1).reshape(-1, 3, 32, 32)
                for file in files
            ],
            axis=0,
        )
        self.labels = np.hstack([file["labels"] for file in files]).astype(np.int64)


class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        held = None  # (3, C): pixels, mean and variance of all batches so far
        for batch in loader:
            x = images_of(batch)
            axes = axes_but_channel(x.ndim)
            pixels = np.full(x.shape[1], x.size / x.shape[1])
            now = np.stack([pixels, x.mean(axes), x.var(axes)])
            pair = now[:, None] if held is None else np.stack([held, now], axis=1)
            counts, means, variances = pair
            mean = np.average(means, axis=0, weights=counts)
            spread = np.average(variances + (means - mean) ** 2, axis=0, weights=counts)
            held = np.stack([counts.sum(axis=0), mean, spread])
        if held is None:
            raise ValueError("no batches")
        self.mean, self.std = held[1], np.sqrt(held[2])
        return self


def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.array(indices, dtype=int)
    outside = indices[(indices < 0) | (indices >= len(dataset))]
    if outside.size:
        raise IndexError(f"Index {outside[0]} out of range for dataset of size {len(dataset)}")
    return tuple(Tensor(tensor.data.take(indices, axis=0)) for tensor in dataset.tensors)
