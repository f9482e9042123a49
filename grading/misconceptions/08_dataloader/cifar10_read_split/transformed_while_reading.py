# What a student believed: A dataset with a transform stores transformed images.
# caught by: test_cifar10_split
# reads: Reading the files transforms nothing: a transform is called once for each sample that is
# read.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        batches = [
            read_batch(folder / name) for name in (TRAIN_FILES if self.train else TEST_FILES)
        ]
        images = np.concatenate([to_images(batch["data"]) for batch in batches])
        if self.transform is not None:
            images = np.stack([as_array(self.transform(Tensor(image))) for image in images])
        self.images = images
        self.labels = np.concatenate([np.array(b["labels"], dtype=np.int64) for b in batches])
