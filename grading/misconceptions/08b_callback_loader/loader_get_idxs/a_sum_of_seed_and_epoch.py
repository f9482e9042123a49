# What a student believed: Adding up mixes two numbers.
# caught by: test_loader_get_idxs
# reads: The order is drawn from self.rng (the Generator of this epoch) and from nothing else.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        rng = self.__dict__.setdefault("_shuffling", {})
        number = self.seed + self.now.epoch
        if number not in rng:
            rng[number] = np.random.default_rng(number)
        return rng[number].permutation(np.asarray(idxs, np.int64))
