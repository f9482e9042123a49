# What a student believed: Batches should be about equally large, so the epoch is cut into
# len(loader) even parts.
# caught by: test_loader_batches
# reads: A short last piece comes too, unless drop_last.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for indices in np.array_split(order, max(1, len(self))):
            yield self._load(indices, key)
