# What a student believed: The order of the epoch belongs to the loader.
# caught by: test_loader_batches
# reads: Two loops over one loader do not disturb each other.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        self.order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(self.order), self.batch_size):
            indices = self.order[start : start + self.batch_size]
            if len(indices) < self.batch_size and self.drop_last:
                return
            yield self._load(indices, key)
