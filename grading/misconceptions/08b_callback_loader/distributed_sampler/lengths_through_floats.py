# What a student believed: math.ceil and int round as well as //.
# caught by: test_distributed_sampler
# reads: len(sampler) is N / R rounded up, or rounded down with drop_last.
class DistributedSampler:
    def __len__(self) -> int:
        count = len(self.dataset)
        share = count / self.num_replicas
        return int(share) if self.drop_last else math.ceil(share)

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng([self.seed, self.epoch]).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank :: self.num_replicas].tolist())
