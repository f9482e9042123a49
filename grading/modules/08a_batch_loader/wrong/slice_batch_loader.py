# %% third_argument_is_an_end: A slice is given by its start and its end, as in Python.
# (promise 1)
class SliceBatchLoader:
    def __init__(self, loader, start, length):
        if not 0 <= start <= len(loader) or length < 0:
            raise ValueError(f"start {start} and length {length} do not fit")
        self.loader, self.start, self.length = loader, start, length - start


# %% keeps_its_batches: What was read once need not be read again. (promise 3)
class SliceBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        if not hasattr(self, "read"):
            self.read = {}
        if (start, end) not in self.read:
            self.read[start, end] = self.loader.get_batch(self.start + start, self.start + end)
        return self.read[start, end]


# %% reads_its_records_first: A slice holds its records. (promise 4)
class SliceBatchLoader:
    def __init__(self, loader, start, length):
        if start < 0 or length < 0 or start + length > len(loader):
            raise ValueError(f"{length} records from {start} on do not fit into {len(loader)}")
        self.loader, self.start, self.length = loader, start, length
        self.records = loader.get_batch(start, start + length)


# %% the_loader_checks: The loader behind the slice refuses what is too far. (promise 5)
class SliceBatchLoader:
    def get_batch(self, start, end):
        return self.loader.get_batch(self.start + start, self.start + end)


# %% checked_when_it_is_read: Whether a slice fits is seen when it is read. (promise 6)
class SliceBatchLoader:
    def __init__(self, loader, start, length):
        self.loader, self.start, self.length = loader, start, max(length, 0)
