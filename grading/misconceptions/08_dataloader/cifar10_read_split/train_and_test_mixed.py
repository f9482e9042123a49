# What a student believed: More data train better, so the test file is read as well.
# caught by: test_cifar10_split
# reads: Training data are the five training files, in order.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        names = [*TRAIN_FILES, *TEST_FILES] if self.train else TEST_FILES
        batches = [read_batch(folder / name) for name in names]
        self.images = np.concatenate([to_images(batch["data"]) for batch in batches])
        self.labels = np.concatenate(
            [np.asarray(batch["labels"], dtype=np.int64) for batch in batches]
        )
