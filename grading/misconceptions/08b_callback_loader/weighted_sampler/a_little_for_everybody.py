# What a student believed: A tiny weight in place of 0 changes nothing that anybody notices.
# caught by: test_what_has_no_weight_never_comes
# reads: An index with weight 0 is never drawn.
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        least = self.weights[self.weights > 0].min()
        share = np.maximum(self.weights, 0.01 * least)
        drawn = self.next_rng().choice(
            len(share), size=self.num_samples, replace=self.replacement, p=share / share.sum()
        )
        return python_integers(drawn)
