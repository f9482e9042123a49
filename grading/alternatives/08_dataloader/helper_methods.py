# Helper methods and properties for what several methods share.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if len(tensors) == 0:
            raise ValueError("no tensors")
        if self.sizes(tensors).count(len(tensors[0])) < len(tensors):
            rule = "All tensors must have same size in first dimension"
            raise ValueError(f"{rule}; the sizes are {self.sizes(tensors)}")
        self.tensors = tensors

    @staticmethod
    def sizes(tensors):
        return [tensor.shape[0] for tensor in tensors]

    def checked(self, index):
        if index < 0 or index > len(self) - 1:
            raise IndexError(
                "Index {} out of range for dataset of size {}".format(index, len(self))
            )
        return index

    def __getitem__(self, index: int) -> tuple:
        index = self.checked(index)
        return tuple([Tensor(np.array(tensor.data[index])) for tensor in self.tensors])


class Normalizer:
    @property
    def fitted(self):
        return self.mean is not None

    def transform(self, data):
        x = as_array(data)
        if not self.fitted:
            raise RuntimeError("Normalizer is not fitted: call .fit(training_data) first")
        result = (x.astype(np.float32) - self._along(self.mean, x)) / (
            self._along(self.std, x) + np.float32(self.eps)
        )
        return Tensor(result) if isinstance(data, Tensor) else result


class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform = transform
        self.images = np.lib.format.open_memmap(images_path, mode="r")
        self.labels = np.asarray(np.load(labels_path), dtype=np.int64)
        if self.images.shape[0] != self.labels.shape[0]:
            raise ValueError(f"{self.images.shape[0]} images but {self.labels.shape[0]} labels")

    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if index not in range(len(self)):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        image = Tensor(self.images[index].view(np.ndarray).copy())
        label = Tensor(self.labels[index])
        if self.transform is not None:
            image = (
                self.transform(image, rng=rng)
                if rng is not None and accepts(self.transform, "rng")
                else self.transform(image)
            )
        return image, label


class Dataset:
    missing = "{} must define {}"

    @abstractmethod
    def __len__(self) -> int:
        message = "{} must define {}".format(type(self).__name__, "__len__")
        raise NotImplementedError(message)

    @abstractmethod
    def __getitem__(self, index: int):
        message = "{} must define {}".format(self.__class__.__name__, "__getitem__")
        raise NotImplementedError(message)
