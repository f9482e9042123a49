# What a student believed: It is early enough to check batch_size when the batches are made.
# caught by: test_loader_init
# reads: A batch_size that is not an integer of 1 or more raises ValueError with the word
# batch_size and the value: 0, -3, True, 2.5, None.
class DataLoader:
    def __init__(
        self,
        dataset,
        batch_size: int = 32,
        shuffle: bool = False,
        drop_last: bool = False,
        *,
        seed: int | None = None,
        collate_fn: Callable | None = None,
        prefetch: int = 0,
        batch_transform: Callable | None = None,
    ):
        if not hasattr(dataset, "__len__"):
            raise TypeError("a dataset needs a length")
        self.dataset, self.batch_size, self.shuffle, self.drop_last = (
            dataset,
            batch_size,
            shuffle,
            drop_last,
        )
        self.seed, self.collate_fn, self.prefetch, self.batch_transform = (
            seed,
            collate_fn,
            prefetch,
            batch_transform,
        )
        self.epoch = 0

    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        if (
            isinstance(self.batch_size, bool)
            or not isinstance(self.batch_size, (int, np.integer))
            or self.batch_size < 1
        ):
            raise ValueError(f"batch_size must be an integer of 1 or more, got {self.batch_size!r}")
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)
