# What a student believed: A sampler draws at random.
# caught by: test_distributed_sampler
# reads: Not shuffled, the order is 0, 1, ..., N-1.
class DistributedSampler:
    def __len__(self) -> int:
        count = len(self.dataset)
        return count // self.num_replicas if self.drop_last else -(-count // self.num_replicas)

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = np.random.default_rng([self.seed, self.epoch]).permutation(count)
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank :: self.num_replicas].tolist())
