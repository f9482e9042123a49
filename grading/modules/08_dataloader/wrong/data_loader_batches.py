# %% epoch_not_handed_on: epoch_order has a default for `epoch`, so the loader need not
# say which epoch it is. (promise 1)
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)


# %% short_batch_always_dropped: A batch has batch_size samples, so what is left over is
# no batch. (promises 2, 5)
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for number in range(len(order) // self.batch_size):
            yield self._load(order[number * self.batch_size : (number + 1) * self.batch_size], key)


# %% drop_last_drops_a_full_batch: drop_last drops the last batch. (promises 3, 7)
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        starts = list(range(0, len(order), self.batch_size))
        if self.drop_last:
            starts = starts[:-1]
        for start in starts:
            yield self._load(order[start : start + self.batch_size], key)


# %% transformed_again: The batch_transform is called in _batches. (promise 4)
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) < self.batch_size and self.drop_last:
                return
            batch = self._load(indices, key)
            if self.batch_transform is not None:
                batch = transform_batch(self.batch_transform, batch, key, indices)
            yield batch


# %% whole_dataset_read_first: `yield` makes it lazy, wherever it stands; the batches
# can be prepared in a list before. (promise 6)
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        batches = []
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) == self.batch_size or not self.drop_last:
                batches.append(self._load(indices, key))
        for batch in batches:
            yield batch


# %% position_shared_by_two_loops: The loader remembers in self how far the epoch has
# come. (promise 8)
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        self.order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        self.position = 0
        while self.position < len(self.order):
            indices = self.order[self.position : self.position + self.batch_size]
            self.position += self.batch_size
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)
