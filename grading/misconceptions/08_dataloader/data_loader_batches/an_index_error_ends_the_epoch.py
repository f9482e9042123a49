# What a student believed: An IndexError says that the dataset is at its end.
# caught by: test_loader_batches
# reads: An error from the dataset, collate_fn or batch_transform reaches the caller unchanged,
# and the call is not repeated.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            if len(indices) < self.batch_size and self.drop_last:
                return
            try:
                yield self._load(indices, key)
            except IndexError:
                return
