# What a student believed: The labels keep the dtype of their file.
# caught by: test_memmap_dataset
# reads: Images keep their dtype, labels are int64.
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
