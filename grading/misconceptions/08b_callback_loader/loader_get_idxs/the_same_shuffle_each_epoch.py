# What a student believed: A seed means that the order is always the same.
# caught by: test_loader_get_idxs
# reads: Every order is possible, and each call draws a new one.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return np.random.default_rng(self.seed).permutation(idxs)
