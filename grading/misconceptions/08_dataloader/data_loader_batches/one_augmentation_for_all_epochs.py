# What a student believed: A sample's augmentation is repeatable when its key never changes.
# caught by: test_loader_batches
# reads: key is passed on as it was given: a sample's random numbers depend on it.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, 0)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)
