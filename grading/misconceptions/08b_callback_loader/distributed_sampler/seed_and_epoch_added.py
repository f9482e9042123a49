# What a student believed: Adding up mixes two numbers.
# caught by: test_distributed_sampler
# reads: Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch 0.
class DistributedSampler:
    def __len__(self) -> int:
        count = len(self.dataset)
        return count // self.num_replicas if self.drop_last else -(-count // self.num_replicas)

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng(self.seed + self.epoch).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank :: self.num_replicas].tolist())
