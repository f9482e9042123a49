# What a student believed: If there are no random numbers, the old order will do.
# caught by: test_loader_get_idxs
# reads: An error of self.shuffle_fn or self.rng reaches the caller unchanged, without a retry.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        try:
            return np.asarray(idxs)[self.rng.permutation(len(idxs))]
        except Exception:
            return idxs
