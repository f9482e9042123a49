# What a student believed: sample_with is the same for every dataset, so it can be copied from
# another one.
# caught by: test_subset
# reads: The given sample_with(i, rng) asks the dataset for sample indices[i] with this rng.
class Subset:
    def sample_with(self, index: int, rng: np.random.Generator):
        return sample_at(self.dataset, index, rng)
