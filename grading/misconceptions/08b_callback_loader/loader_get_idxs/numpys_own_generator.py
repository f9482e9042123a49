# What a student believed: np.random has a generator for everybody.
# caught by: test_loader_get_idxs
# reads: The order is drawn from self.rng (the Generator of this epoch) and from nothing else.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return np.random.permutation(np.asarray(idxs))
