# What a student believed: `yield` makes it lazy, wherever it stands; the batches can be prepared in
# a list before.
# caught by: test_loader_batches
# reads: A batch reads only its own samples, each once, and only when you ask for the batch.
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
