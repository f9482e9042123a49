# What a student believed: A draw with replacement is all it takes.
# caught by: test_weighted_sampler
# reads: An index with weight 0 is never drawn.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        return iter(
            self.next_rng()
            .choice(len(self.weights), self.num_samples, replace=self.replacement)
            .tolist()
        )
