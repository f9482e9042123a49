# What a student believed: What a dataset can do shows when it is used.
# caught by: test_loader_init
# reads: A dataset without a length raises TypeError: DataLoader(None).
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
        if isinstance(batch_size, bool) or not isinstance(batch_size, (int, np.integer)):
            raise ValueError(f"batch_size must be an integer, got {batch_size!r}")
        if batch_size < 1:
            raise ValueError(f"batch_size must be 1 or more, got {batch_size!r}")
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
