# What a student believed: The files of the dataset are the training files; the model does not see
# which are for testing.
# caught by: test_cifar10_split
# reads: Test data are the test file and nothing else.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TRAIN_FILES, read_batch

        batches = [read_batch(folder / name) for name in TRAIN_FILES]
        self.images = np.concatenate([to_images(batch["data"]) for batch in batches])
        self.labels = np.concatenate(
            [np.asarray(batch["labels"], dtype=np.int64) for batch in batches]
        )
