# %% every_rank_for_itself: Ranks shall not do the same, so each has a seed of its own.
# (promise 3)
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


# %% unequal_shares: A rank may have one sample less. (promise 4)
class DistributedSampler:
    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = (
            np.random.default_rng([self.seed, self.epoch]).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        return iter(order[self.rank :: self.num_replicas].tolist())


# %% pieces_in_a_row: Each rank has a piece of the order. (promise 5)
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
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank * len(self) : (self.rank + 1) * len(self)].tolist())


# %% seed_and_epoch_added: Adding up mixes two numbers. (promise 6)
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


# %% epoch_counts_itself: Each iter is the next epoch, as in the other samplers.
# (promise 7)
class DistributedSampler:
    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = self.next_rng().permutation(count) if self.shuffle else np.arange(count)
        order = np.resize(order, len(self) * self.num_replicas)
        return iter(order[self.rank :: self.num_replicas].tolist())


# %% no_length_is_zero: A dataset that does not tell its length is empty. (promise 8)
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
