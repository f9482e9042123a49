# What a student believed: 2.0 is the integer 2.
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
        if isinstance(batch_size, bool) or batch_size is None or batch_size != int(batch_size):
            raise ValueError(f"batch_size must be an integer, got {batch_size!r}")
        batch_size = int(batch_size)
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
