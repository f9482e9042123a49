# Random numbers from NumPy's own mixing, draws by cumulated weights and by keys, shares by
# arithmetic.
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    return np.random.default_rng([seed, epoch, index])


class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        keys = self.rng.random(len(idxs))
        return [idxs[k] for k in np.argsort(keys).tolist()]


class WeightedRandomSampler:
    def __iter__(self) -> Iterator[int]:
        rng = self.next_rng()
        if self.replacement:
            edges = np.cumsum(self.weights)
            drawn = np.searchsorted(edges, rng.random(self.num_samples) * edges[-1], side="right")
        else:  # exponential keys: Efraimidis and Spirakis (2006)
            with np.errstate(divide="ignore"):
                drawn = np.argsort(rng.exponential(size=len(self.weights)) / self.weights)[
                    : self.num_samples
                ]
        yield from map(int, drawn)


class DistributedSampler:
    def __len__(self) -> int:
        count = len(self.dataset)
        return (count if self.drop_last else count + self.num_replicas - 1) // self.num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng([self.seed, self.epoch, 7]).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        return iter(
            order[(self.rank + self.num_replicas * np.arange(len(self))) % max(count, 1)].tolist()
        )
