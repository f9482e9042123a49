# What a student believed: A seed means that the order is always the same.
# caught by: test_a_shuffle_keeps_every_item
# reads: Each epoch has an order of its own.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return np.random.default_rng(self.seed).permutation(idxs)
