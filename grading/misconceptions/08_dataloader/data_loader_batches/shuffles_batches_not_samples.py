# What a student believed: Shuffling means that the batches come in random order.
# caught by: test_loader_batches
# reads: epoch_order(N, self.shuffle, self.seed, epoch) is cut into pieces of batch_size; each
# gives a batch.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        samples = np.arange(len(self.dataset))
        for number in epoch_order(len(self), self.shuffle, self.seed, epoch):
            yield self._load(
                samples[number * self.batch_size : (number + 1) * self.batch_size], key
            )
