# What a student believed: The seed decides the order.
# caught by: test_distributed_sampler
# reads: Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch 0.
class DistributedSampler:
    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng(self.seed).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank :: self.num_replicas].tolist())
