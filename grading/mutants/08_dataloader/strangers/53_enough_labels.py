# What the student believed: what matters is that every image has a label.
# breaks: "Unequal lengths: `ValueError` with both": 5 images and 6 labels are accepted;
# the dataset says that it has 6 samples.
class MemmapDataset:
    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        """Open the files; read the labels, but no image."""
        self.transform = transform
        self.images = np.load(images_path, mmap_mode="r")
        self.labels = np.load(labels_path).astype(np.int64)
        if len(self.labels) < len(self.images):
            raise ValueError(f"{len(self.images)} images, {len(self.labels)} labels")
