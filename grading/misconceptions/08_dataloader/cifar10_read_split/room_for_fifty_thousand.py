# What a student believed: CIFAR-10 has 50,000 training and 10,000 test images, so the arrays can be
# made ahead.
# caught by: test_cifar10_split
# reads: Images are uint8 (N, 3, 32, 32), N counted from the files.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        self.images = np.zeros((50_000 if self.train else 10_000, 3, 32, 32), dtype=np.uint8)
        labels = []
        for name in TRAIN_FILES if self.train else TEST_FILES:
            batch = read_batch(folder / name)
            self.images[len(labels) : len(labels) + len(batch["labels"])] = to_images(batch["data"])
            labels += batch["labels"]
        self.labels = np.array(labels, dtype=np.int64)
