# What a student believed: An integer is an integer.
# caught by: test_weighted_sampler
# reads: One iter gives num_samples Python integers from 0 to len(weights) - 1.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        return iter(self.next_rng().choice(len(share), self.num_samples, self.replacement, share))
