# What a student believed: np.load opens a file; the data are read when they are needed.
# caught by: test_memmap_dataset
# reads: Opening the file and reading one sample does not read the whole file.
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
