# What a student believed: A rank may have one sample less.
# caught by: test_distributed_sampler
# reads: The order is cut, or continued from its beginning, to the length R x len(sampler).
class DistributedSampler:
    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng([self.seed, self.epoch]).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        return iter(order[self.rank :: self.num_replicas].tolist())
