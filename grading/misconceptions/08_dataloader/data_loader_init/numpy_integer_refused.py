# What a student believed: Every whole number in Python is an int.
# caught by: test_loader_init
# reads: Every integer of 1 or more is accepted, including NumPy integers and integers above N.
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
        if type(batch_size) is not int or batch_size < 1:
            raise ValueError(f"batch_size must be an integer of 1 or more, got {batch_size!r}")
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
