# What a student believed: The weights can be normalized where they are.
# caught by: test_weighted_sampler
# reads: The weights that were given are not changed.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        self.weights /= self.weights.sum()
        drawn = self.next_rng().choice(
            len(self.weights), self.num_samples, self.replacement, self.weights
        )
        return iter(drawn.tolist())
