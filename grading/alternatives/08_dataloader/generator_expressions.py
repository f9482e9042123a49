# Generator expressions: what would be a loop with append is one expression.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if not any(True for _ in tensors):
            raise ValueError("at least one tensor is needed")
        if any(len(tensor) != len(tensors[0]) for tensor in tensors):
            raise ValueError(
                "All tensors must have same size in first dimension:"
                f" {', '.join(str(len(t)) for t in tensors)}"
            )
        self.tensors = tensors

    def __len__(self) -> int:
        return self.tensors[0].shape[0]

    def __getitem__(self, index: int) -> tuple:
        if index < 0 or index >= len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(Tensor(tensor.data[index].copy()) for tensor in self.tensors)


class DataLoader:
    def __len__(self) -> int:
        return sum(
            1
            for start in range(0, len(self.dataset), self.batch_size)
            if not self.drop_last or start + self.batch_size <= len(self.dataset)
        )

    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        ends = range(
            self.batch_size,
            len(order) + (1 if self.drop_last else self.batch_size),
            self.batch_size,
        )
        return (self._load(order[end - self.batch_size : end], key) for end in ends)


class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        files = [read_batch(folder / name) for name in (TRAIN_FILES if self.train else TEST_FILES)]
        self.images = np.vstack([to_images(file["data"]) for file in files])
        self.labels = np.array([label for file in files for label in file["labels"]], np.int64)


def stack_samples(values: Sequence) -> Tensor:
    arrays = [
        np.asarray(getattr(value, "data", value)) if isinstance(value, Tensor) else np.array(value)
        for value in values
    ]
    if not arrays:
        raise ValueError("no samples")
    if len({array.shape for array in arrays}) > 1:
        raise ValueError(
            "shapes differ: "
            + ", ".join(f"position {k}: {array.shape}" for k, array in enumerate(arrays))
        )
    return Tensor(np.array(arrays))
