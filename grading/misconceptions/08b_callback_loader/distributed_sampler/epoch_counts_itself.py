# What a student believed: Each iter is the next epoch, as in the other samplers.
# caught by: test_distributed_sampler
# reads: The order depends on (seed, epoch) alone: without set_epoch it does not change.
class DistributedSampler:
    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = self.next_rng().permutation(count) if self.shuffle else np.arange(count)
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank :: self.num_replicas].tolist())
