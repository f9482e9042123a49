# What a student believed: data_batch_1 holds the training images; the others are copies in another
# order.
# caught by: test_cifar10_split
# reads: Training data are the five training files, in order.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        batch = read_batch(folder / (TRAIN_FILES[0] if self.train else TEST_FILES[0]))
        self.images = to_images(batch["data"])
        self.labels = np.array(batch["labels"], dtype=np.int64)
