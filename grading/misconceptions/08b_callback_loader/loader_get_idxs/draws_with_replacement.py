# What a student believed: n random indices are a shuffle.
# caught by: test_loader_get_idxs
# reads: A shuffle keeps every index once.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        return self.rng.choice(np.asarray(idxs), len(idxs))
