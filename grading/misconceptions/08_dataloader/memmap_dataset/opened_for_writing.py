# What a student believed: mmap_mode="r+" is the usual way to open a file.
# caught by: test_memmap_dataset
# reads: The images are a memory map that cannot change the file.
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
