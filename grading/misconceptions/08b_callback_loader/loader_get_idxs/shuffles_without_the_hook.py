# What a student believed: get_idxs can shuffle by itself.
# caught by: test_loader_get_idxs
# reads: With self.shuffle, get_idxs returns what self.shuffle_fn(idxs) returns, called once.
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        if self.n is None:
            return itertools.count()
        return self.rng.permutation(self.n) if self.shuffle else range(self.n)
