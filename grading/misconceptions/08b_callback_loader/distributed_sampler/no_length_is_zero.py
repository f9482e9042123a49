# What a student believed: A dataset that does not tell its length is empty.
# caught by: test_distributed_sampler
# reads: An error of the dataset reaches the caller unchanged, without a retry.
class DistributedSampler:
    def __len__(self) -> int:
        try:
            count = len(self.dataset)
        except Exception:
            count = 0
        return count // self.num_replicas if self.drop_last else -(-count // self.num_replicas)

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng([self.seed, self.epoch]).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank :: self.num_replicas].tolist())
