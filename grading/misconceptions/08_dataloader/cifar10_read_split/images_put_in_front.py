# What a student believed: np.concatenate([new, old]) appends the new images.
# caught by: test_cifar10_split
# reads: Image n belongs to label n.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        images, labels = np.empty((0, 3, 32, 32), np.uint8), []
        for name in TRAIN_FILES if self.train else TEST_FILES:
            batch = read_batch(folder / name)
            images = np.concatenate([to_images(batch["data"]), images])
            labels += list(batch["labels"])
        self.images, self.labels = images, np.array(labels, dtype=np.int64)
