# What a student believed: Every problem with the files is a ValueError.
# caught by: test_memmap_dataset
# reads: An error from a file or a transform reaches the caller unchanged, and nothing is tried
# again.
class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform = transform
        try:
            self.images = np.load(images_path, mmap_mode="r")
            self.labels = np.load(labels_path).astype(np.int64)
        except OSError as problem:
            raise ValueError(f"cannot read the files: {problem}") from None
        if len(self.images) != len(self.labels):
            raise ValueError(
                f"images and labels need one length, got {len(self.images)} images and"
                f" {len(self.labels)} labels"
            )
