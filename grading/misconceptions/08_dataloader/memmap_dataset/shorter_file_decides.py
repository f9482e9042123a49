# What a student believed: A dataset is as long as the shorter of its two files.
# caught by: test_memmap_dataset
# reads: Images and labels of unequal length raise ValueError with both lengths.
class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        self.transform = transform
        self.images = np.load(images_path, mmap_mode="r")
        self.labels = np.load(labels_path).astype(np.int64)
        shorter = min(len(self.images), len(self.labels))
        self.images, self.labels = self.images[:shorter], self.labels[:shorter]
