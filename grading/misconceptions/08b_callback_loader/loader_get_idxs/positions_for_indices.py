# What a student believed: The indices are 0 to n - 1.
# caught by: test_loader_get_idxs
# reads: shuffle_fn returns each of the given indices once.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return self.rng.permutation(len(idxs))
