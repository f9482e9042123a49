# What a student believed: Reading one sample to see what the data look like costs nothing.
# caught by: test_loader_batches
# reads: A batch reads only its own samples, each once, and only when you ask for the batch.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        if len(order) == 0 or self.dataset[0] is None:
            return
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)
