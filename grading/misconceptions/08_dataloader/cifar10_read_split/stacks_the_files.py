# What a student believed: Joining the arrays of several files is np.stack.
# caught by: test_cifar10_split
# reads: Images are uint8 (N, 3, 32, 32), N counted from the files.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        images, labels = [], []
        for name in TRAIN_FILES if self.train else TEST_FILES:
            batch = read_batch(folder / name)
            images.append(to_images(batch["data"]))
            labels.extend(batch["labels"])
        self.images = np.stack(images)
        self.labels = np.array(labels, dtype=np.int64)
