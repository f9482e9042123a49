# What the student believed: a file that was read once can be kept under its name.
# breaks: "`_read_split(folder)` sets ... reads the five files of `TRAIN_FILES`": a
# second dataset from another folder gets the images of the first.
_files_read = {}


class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        """Set self.images and self.labels from the files of this split."""
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        names = TRAIN_FILES if self.train else TEST_FILES
        for name in names:
            if name not in _files_read:
                _files_read[name] = read_batch(folder / name)
        batches = [_files_read[name] for name in names]
        self.images = to_images(np.concatenate([b["data"] for b in batches]))
        self.labels = np.concatenate([b["labels"] for b in batches]).astype(np.int64)
