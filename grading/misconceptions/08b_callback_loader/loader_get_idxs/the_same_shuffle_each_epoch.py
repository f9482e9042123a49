# What a student believed: A seed means that the order is always the same.
# caught by: test_a_shuffle_is_drawn_from_the_loaders_generator
# reads: Each shuffle is drawn anew.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return np.random.default_rng(self.seed).permutation(idxs)
