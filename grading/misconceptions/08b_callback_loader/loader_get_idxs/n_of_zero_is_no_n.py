# What a student believed: n of 0 means that n is not known.
# caught by: test_loader_get_idxs
# reads: An indexed dataset (self.indexed) gives self.n indices: 0, 1, 2, ...
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        idxs = range(self.n) if self.n else itertools.count()
        return self.shuffle_fn(idxs) if self.shuffle else idxs
