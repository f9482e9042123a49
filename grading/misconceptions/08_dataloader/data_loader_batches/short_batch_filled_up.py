# What a student believed: All batches need the same size, so the last one is filled up from the
# start of the epoch.
# caught by: test_loader_batches
# reads: A short last piece comes too, unless drop_last.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            if self.drop_last and start + self.batch_size > len(order):
                return
            places = np.arange(start, start + self.batch_size)
            yield self._load(np.take(order, places, mode="wrap"), key)
