# What a student believed: Ranks shall not do the same, so each has a seed of its own.
# caught by: test_distributed_sampler
# reads: Shuffled, it is a permutation of 0..N-1, the same on every rank.
class DistributedSampler:
    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng([self.seed, self.epoch, self.rank]).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank :: self.num_replicas].tolist())
