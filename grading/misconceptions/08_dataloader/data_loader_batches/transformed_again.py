# What a student believed: The batch_transform is called in _batches.
# caught by: test_loader_batches
# reads: self._load(piece, key) is called once a batch; its result is yielded unchanged.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) < self.batch_size and self.drop_last:
                return
            batch = self._load(indices, key)
            if self.batch_transform is not None:
                batch = transform_batch(self.batch_transform, batch, key, indices)
            yield batch
