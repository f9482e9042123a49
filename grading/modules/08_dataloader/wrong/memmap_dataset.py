# %% label_is_a_number: A label is a plain number. (promises 1, 9)
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.labels):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.labels)}")
        image, label = Tensor(np.array(self.images[index])), int(self.labels[index])
        return transform_image(self.transform, image, rng), label


# %% labels_as_stored: The labels keep the dtype of their file. (promise 2)
class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform = transform
        self.images = np.load(images_path, mmap_mode="r")
        self.labels = np.load(labels_path)
        if len(self.images) != len(self.labels):
            raise ValueError(
                f"images and labels need one length, got {len(self.images)} images and"
                f" {len(self.labels)} labels"
            )


# %% whole_file_read: np.load opens a file; the data are read when they are needed.
# (promise 3)
class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform = transform
        self.images = np.load(images_path)
        self.labels = np.load(labels_path).astype(np.int64)
        if len(self.images) != len(self.labels):
            raise ValueError(
                f"images and labels need one length, got {len(self.images)} images and"
                f" {len(self.labels)} labels"
            )


# %% opened_for_writing: mmap_mode="r+" is the usual way to open a file. (promise 4)
class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform = transform
        self.images = np.load(images_path, mmap_mode="r+")
        self.labels = np.load(labels_path).astype(np.int64)
        if len(self.images) != len(self.labels):
            raise ValueError(
                f"images and labels need one length, got {len(self.images)} images and"
                f" {len(self.labels)} labels"
            )


# %% window_on_the_file: A row of a memory map is an array in memory. (promise 5)
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.labels):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.labels)}")
        image, label = Tensor(self.images[index]), Tensor(self.labels[index])
        if self.transform is not None:
            image = (
                self.transform(image, rng=rng)
                if rng is not None and accepts(self.transform, "rng")
                else self.transform(image)
            )
        return image, label


# %% rows_are_kept: A row that was read once need not be read again. (promise 6)
class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform, self.seen = transform, {}
        self.images = np.load(images_path, mmap_mode="r")
        self.labels = np.load(labels_path).astype(np.int64)
        if len(self.images) != len(self.labels):
            raise ValueError(
                f"images and labels need one length, got {len(self.images)} images and"
                f" {len(self.labels)} labels"
            )

    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.labels):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.labels)}")
        if index not in self.seen:
            self.seen[index] = np.array(self.images[index])
        image, label = Tensor(self.seen[index].copy()), Tensor(self.labels[index])
        return transform_image(self.transform, image, rng), label


# %% numpy_checks_the_index: NumPy raises IndexError for every index that is not there.
# (promise 8)
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        image, label = Tensor(np.array(self.images[index])), Tensor(self.labels[index])
        if self.transform is not None:
            image = (
                self.transform(image, rng=rng)
                if rng is not None and accepts(self.transform, "rng")
                else self.transform(image)
            )
        return image, label
