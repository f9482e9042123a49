# What a student believed: n random indices are a shuffle.
# caught by: test_loader_get_idxs
# reads: shuffle_fn returns each of the given indices once.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return self.rng.choice(np.asarray(idxs), len(idxs))
