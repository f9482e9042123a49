# What a student believed: The order is at least half as long as it has to be.
# caught by: test_distributed_sampler
# reads: The order is cut, or continued from its beginning, to the length R x len(sampler).
class DistributedSampler:
    def __len__(self) -> int:
        count = len(self.dataset)
        return count // self.num_replicas if self.drop_last else -(-count // self.num_replicas)

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng([self.seed, self.epoch]).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        total = len(self) * self.num_replicas
        order = np.append(order, order[: max(0, total - count)])[:total]
        return iter(order[self.rank :: self.num_replicas].tolist())
