# What a student believed: A row that was read once need not be read again.
# caught by: test_memmap_dataset
# reads: An image is read from the file each time it is asked for.
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
