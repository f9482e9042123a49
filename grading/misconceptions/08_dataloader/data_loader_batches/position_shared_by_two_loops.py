# What a student believed: The loader remembers in self how far the epoch has come.
# caught by: test_loader_batches
# reads: Two loops over one loader do not disturb each other.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        self.order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        self.position = 0
        while self.position < len(self.order):
            indices = self.order[self.position : self.position + self.batch_size]
            self.position += self.batch_size
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._load(indices, key)
