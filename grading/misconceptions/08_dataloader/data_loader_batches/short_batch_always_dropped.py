# What a student believed: A batch has batch_size samples, so what is left over is no batch.
# caught by: test_loader_batches
# reads: A short last piece comes too, unless drop_last.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for number in range(len(order) // self.batch_size):
            yield self._load(order[number * self.batch_size : (number + 1) * self.batch_size], key)
