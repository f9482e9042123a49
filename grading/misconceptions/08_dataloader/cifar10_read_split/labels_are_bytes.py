# What a student believed: Ten classes fit into a byte, so the labels are uint8 like the images.
# caught by: test_cifar10_split
# reads: Labels are an int64 array of shape (N,).
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        batches = [
            read_batch(folder / name) for name in (TRAIN_FILES if self.train else TEST_FILES)
        ]
        self.images = np.concatenate([to_images(batch["data"]) for batch in batches])
        self.labels = np.concatenate(
            [np.array(batch["labels"], dtype=np.uint8) for batch in batches]
        )
