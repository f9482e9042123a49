# What a student believed: If there are no random numbers, nothing is drawn.
# caught by: test_weighted_sampler
# reads: What self.next_rng raises reaches the caller unchanged, once.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        try:
            rng = self.next_rng()
        except Exception:
            return iter([])
        return iter(rng.choice(len(share), self.num_samples, self.replacement, share).tolist())
