# What a student believed: The batches of an epoch are made once and kept for the next one.
# caught by: test_loader_batches
# reads: epoch_order(N, self.shuffle, self.seed, epoch) is cut into pieces of batch_size; each
# gives a batch.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, 0)
        if not hasattr(self, "pieces"):
            order = epoch_order(len(self.dataset), self.shuffle, self.seed, 0)
            self.pieces = [
                order[start : start + self.batch_size]
                for start in range(0, len(order), self.batch_size)
            ]
        for indices in self.pieces:
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)
