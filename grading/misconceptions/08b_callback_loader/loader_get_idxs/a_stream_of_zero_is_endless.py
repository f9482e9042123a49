# What a student believed: n of 0 means that n is not known.
# caught by: test_loader_get_idxs
# reads: A stream gives None, self.n times.
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None, self.n) if self.n else itertools.repeat(None)
        idxs = itertools.count() if self.n is None else range(self.n)
        return self.shuffle_fn(idxs) if self.shuffle else idxs
