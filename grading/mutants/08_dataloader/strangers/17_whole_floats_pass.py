# What the student believed: an integer is a number without decimals, so 4.0 is one.
# breaks: "`batch_size` must be an integer of 1 or more ... when the loader is *made*,
# not an hour later": DataLoader(data, batch_size=4.0) is accepted, and the first batch
# raises a TypeError.
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
        """Store the settings; nothing is read."""
        if isinstance(batch_size, bool) or batch_size % 1 != 0 or batch_size < 1:
            raise ValueError(f"batch_size must be an integer of 1 or more, got {batch_size}")
        if prefetch < 0:
            raise ValueError(f"prefetch must be 0 or more, got {prefetch}")
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
        self.epoch = 0  # the epoch that the next iter() starts
