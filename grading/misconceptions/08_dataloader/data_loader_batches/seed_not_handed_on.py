# What a student believed: The seed is for the augmentation; the order needs only the epoch.
# caught by: test_loader_batches
# reads: epoch_order(N, self.shuffle, self.seed, epoch) is cut into pieces of batch_size; each
# gives a batch.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, epoch=epoch)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)
