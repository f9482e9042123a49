# What a student believed: A weight says whether an index may come.
# caught by: test_weighted_sampler
# reads: With replacement, index i is drawn with probability weights[i] / (sum of weights).
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = (self.weights > 0) / np.count_nonzero(self.weights)
        drawn = self.next_rng().choice(len(share), self.num_samples, self.replacement, share)
        return iter(drawn.tolist())
