# What a student believed: Adding up mixes two numbers.
# caught by: test_loader_get_idxs
# reads: Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch 0.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        rng = self.__dict__.setdefault("_shuffling", {})
        number = self.seed + self.now.epoch
        if number not in rng:
            rng[number] = np.random.default_rng(number)
        return rng[number].permutation(np.asarray(idxs, np.int64))
