# What a student believed: If there are no random numbers, the old order will do.
# caught by: test_loader_get_idxs
# reads: What self.shuffle_fn or self.rng raises reaches the caller unchanged, once.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        try:
            return np.asarray(idxs)[self.rng.permutation(len(idxs))]
        except Exception:
            return idxs
