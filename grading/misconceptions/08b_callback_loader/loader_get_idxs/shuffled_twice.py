# What a student believed: The first shuffle is there to look at.
# caught by: test_loader_get_idxs
# reads: With self.shuffle, get_idxs returns what self.shuffle_fn(idxs) returns, called once.
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        idxs = itertools.count() if self.n is None else range(self.n)
        if self.shuffle and len(self.shuffle_fn(idxs)) > 0:
            return self.shuffle_fn(idxs)
        return idxs
