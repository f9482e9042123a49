# What a student believed: If there are no random numbers, nothing is drawn.
# caught by: test_weighted_sampler
# reads: An error of self.next_rng reaches the caller unchanged, without a retry.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        try:
            rng = self.next_rng()
        except Exception:
            return iter([])
        return iter(rng.choice(len(share), self.num_samples, self.replacement, share).tolist())
