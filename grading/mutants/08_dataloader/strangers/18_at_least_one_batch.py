# What the student believed: an epoch has at least one batch.
# breaks: "N / batch_size rounded up; with `drop_last` rounded down": an empty dataset
# has length 1, and so have 3 samples with batch_size=4 and drop_last=True.
class DataLoader:
    def __len__(self) -> int:
        """Return the number of batches in an epoch."""
        n, size = len(self.dataset), int(self.batch_size)
        batches = n // size if self.drop_last else (n + size - 1) // size
        return max(1, batches)
