# What a student believed: Where there are fewer samples than a batch holds, there is no batch.
# caught by: test_loader_batches
# reads: A short last piece comes too, unless drop_last.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        if len(self.dataset) < self.batch_size:
            return
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)
