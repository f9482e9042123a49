# What a student believed: A batch is dropped after one has seen how long it is.
# caught by: test_loader_batches
# reads: A batch reads only its own samples, each once, and only when you ask for the batch.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            batch = self._load(indices, key)
            if len(indices) == self.batch_size or not self.drop_last:
                yield batch
