# %% numpys_integers: An integer is an integer. (promise 1)
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        return iter(self.next_rng().choice(len(share), self.num_samples, self.replacement, share))


# %% weights_forgotten: A draw with replacement is all it takes. (promises 2, 5)
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        return iter(
            self.next_rng()
            .choice(len(self.weights), self.num_samples, replace=self.replacement)
            .tolist()
        )


# %% each_as_often_as_its_weight: In proportion means: each as often as its share says.
# (promise 3)
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


# %% always_replaced: A draw puts back what it took. (promise 4)
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        return iter(self.next_rng().choice(len(share), self.num_samples, p=share).tolist())


# %% the_seed_again: A seed means that the draws are always the same. (promise 6)
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        share = self.weights / self.weights.sum()
        rng = np.random.default_rng(self.seed)
        return iter(rng.choice(len(share), self.num_samples, self.replacement, share).tolist())


# %% normalized_in_place: The weights can be normalized where they are. (promise 7)
class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        self.weights /= self.weights.sum()
        drawn = self.next_rng().choice(
            len(self.weights), self.num_samples, self.replacement, self.weights
        )
        return iter(drawn.tolist())
