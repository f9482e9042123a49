# What the student believed: the training files are those whose names begin with
# data_batch.
# breaks: "`train=True` reads the five files of `TRAIN_FILES` in order": a copy
# data_batch_1.orig (or data_batch_6) in the folder is read too; its images come twice.
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        """Set self.images and self.labels from the files of this split."""
        from tinytorch.datasets import read_batch

        pattern = "data_batch_*" if self.train else "test_batch*"
        batches = [read_batch(path) for path in sorted(folder.glob(pattern))]
        self.images = to_images(np.concatenate([b["data"] for b in batches]))
        self.labels = np.concatenate([b["labels"] for b in batches]).astype(np.int64)
