# What a student believed: A seed means that the draws are always the same.
# caught by: test_weighted_sampler
# reads: Each iter draws anew, from self.next_rng() and from nothing else.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        rng = np.random.default_rng(self.seed)
        return iter(rng.choice(len(share), self.num_samples, self.replacement, share).tolist())
