# What a student believed: If shuffling fails, the old order will do.
# caught by: test_loader_get_idxs
# reads: An error of self.shuffle_fn or self.rng reaches the caller unchanged, without a retry.
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        idxs = itertools.count() if self.n is None else range(self.n)
        try:
            return self.shuffle_fn(idxs) if self.shuffle else idxs
        except Exception:
            return idxs
