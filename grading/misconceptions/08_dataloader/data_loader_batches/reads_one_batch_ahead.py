# What a student believed: To know whether a batch is the last, one has to have read the next one.
# caught by: test_loader_batches
# reads: A batch reads only its own samples, each once, and only when you ask for the batch.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        waiting = []
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if self.drop_last and len(indices) < self.batch_size:
                break
            batch = self._load(indices, key)
            yield from waiting
            waiting = [batch]
        yield from waiting
