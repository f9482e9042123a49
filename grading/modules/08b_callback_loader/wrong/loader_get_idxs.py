# %% an_empty_sampler_is_none: A sampler that is false is not there. (promise 1)
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        idxs = itertools.count() if self.n is None else range(self.n)
        return self.shuffle_fn(idxs) if self.shuffle else idxs


# %% the_length_of_the_dataset: An epoch visits the dataset. (promise 2)
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        idxs = itertools.count() if self.n is None else range(len(self.dataset))
        return self.shuffle_fn(idxs) if self.shuffle else idxs


# %% streams_have_numbers_too: Items of a stream can be counted, so they have numbers.
# (promise 3)
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        idxs = itertools.count() if self.n is None else range(self.n)
        return self.shuffle_fn(idxs) if self.shuffle else idxs


# %% shuffles_without_the_hook: get_idxs can shuffle by itself. (promise 5)
class DataLoader:
    def get_idxs(self) -> Iterable:
        if self.sampler is not None:
            return self.sampler
        if not self.indexed:
            return itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        if self.n is None:
            return itertools.count()
        return self.rng.permutation(self.n) if self.shuffle else range(self.n)


# %% the_same_shuffle_each_epoch: A seed means that the order is always the same.
# (promise 7)
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return np.random.default_rng(self.seed).permutation(idxs)


# %% numpys_own_generator: np.random has a generator for everybody. (promise 8)
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return np.random.permutation(np.asarray(idxs))
