# %% asserts_its_arguments: An assert is the way to check an argument. (promise 1)
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
        assert isinstance(batch_size, (int, np.integer)) and not isinstance(batch_size, bool), (
            f"batch_size must be an integer, got {batch_size}"
        )
        assert batch_size > 0, f"batch_size must be positive, got {batch_size}"
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.seed = seed
        self.collate_fn = collate_fn
        self.prefetch = prefetch
        self.batch_transform = batch_transform
        self.epoch = 0


# %% numpy_integer_refused: Every whole number in Python is an int. (promise 2)
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
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.seed = seed
        self.collate_fn = collate_fn
        self.prefetch = prefetch
        self.batch_transform = batch_transform
        self.epoch = 0


# %% any_object_is_a_dataset: What a dataset can do shows when it is used. (promise 3)
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
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.seed = seed
        self.collate_fn = collate_fn
        self.prefetch = prefetch
        self.batch_transform = batch_transform
        self.epoch = 0
