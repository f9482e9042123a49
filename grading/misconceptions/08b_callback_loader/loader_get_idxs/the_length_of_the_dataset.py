# What a student believed: An epoch visits the dataset.
# caught by: test_loader_get_idxs
# reads: An indexed dataset (self.indexed) gives self.n indices: 0, 1, 2, ...
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        idxs = itertools.count() if self.n is None else range(len(self.dataset))
        return self.shuffle_fn(idxs) if self.shuffle else idxs
