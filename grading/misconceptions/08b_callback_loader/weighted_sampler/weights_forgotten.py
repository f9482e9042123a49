# What a student believed: A draw with replacement is all it takes.
# caught by: test_weighted_sampler
# reads: With replacement, index i is drawn with probability weights[i] / (sum of weights).
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        return iter(
            self.next_rng()
            .choice(len(self.weights), self.num_samples, replace=self.replacement)
            .tolist()
        )
