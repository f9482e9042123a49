# What a student believed: Items of a stream can be counted, so they have numbers.
# caught by: test_loader_get_idxs
# reads: A stream gives None, self.n times.
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        idxs = itertools.count() if self.n is None else range(self.n)
        return self.shuffle_fn(idxs) if self.shuffle else idxs
