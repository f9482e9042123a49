# What a student believed: An epoch starts with a batch; then one sees whether there is more.
# caught by: test_loader_batches
# reads: An empty dataset gives no batch.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        start = 0
        while True:
            indices = order[start : start + self.batch_size]
            if self.drop_last and len(indices) < self.batch_size:
                break
            yield self._load(indices, key)
            start += self.batch_size
            if start >= len(order):
                break
