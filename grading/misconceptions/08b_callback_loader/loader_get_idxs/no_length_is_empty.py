# What a student believed: A dataset that does not tell its length is empty.
# caught by: test_loader_get_idxs
# reads: If self.n is None, the result has no end.
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        idxs = range(self.n or 0)
        return self.shuffle_fn(idxs) if self.shuffle else idxs
