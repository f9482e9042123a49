# What a student believed: A sampler that is false is not there.
# caught by: test_loader_get_idxs
# reads: A sampler decides: get_idxs returns self.sampler, even an empty one.
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        idxs = itertools.count() if self.n is None else range(self.n)
        return self.shuffle_fn(idxs) if self.shuffle else idxs
