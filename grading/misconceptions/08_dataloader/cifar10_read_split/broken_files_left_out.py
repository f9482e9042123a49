# What a student believed: A file that cannot be read is left out, and the rest is used.
# caught by: test_cifar10_split
# reads: An error from a file reaches the caller unchanged, and the file is not read again.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        images, labels = [np.empty((0, 3, 32, 32), np.uint8)], [np.empty(0, np.int64)]
        for name in TRAIN_FILES if self.train else TEST_FILES:
            try:
                batch = read_batch(folder / name)
            except (OSError, ValueError):
                continue
            images.append(to_images(batch["data"]))
            labels.append(np.array(batch["labels"], dtype=np.int64))
        self.images, self.labels = np.concatenate(images), np.concatenate(labels)
