# What a student believed: In proportion means: each as often as its share says.
# caught by: test_weighted_sampler
# reads: With replacement, each draw is independent of the others.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        rng = self.next_rng()
        if not self.replacement:
            drawn = rng.choice(len(share), self.num_samples, False, share)
            return iter(drawn.tolist())
        ends = np.cumsum(share)
        start = rng.random() / self.num_samples
        places = (start + np.arange(self.num_samples) / self.num_samples) % 1
        drawn = np.minimum(np.searchsorted(ends, places, "right"), len(share) - 1)
        return iter(drawn.tolist())
