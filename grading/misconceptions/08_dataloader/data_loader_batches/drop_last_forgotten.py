# What a student believed: drop_last only changes the length that the loader reports.
# caught by: test_loader_batches
# reads: drop_last leaves out a short last piece, never a full one.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            yield self._load(order[start : start + self.batch_size], key)
