# What a student believed: A draw puts back what it took.
# caught by: test_weighted_sampler
# reads: Without replacement no index comes twice, and larger weights tend to come first.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        return iter(self.next_rng().choice(len(share), self.num_samples, p=share).tolist())
