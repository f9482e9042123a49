# What a student believed: Shuffling is for the features; the labels are only looked up.
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
            if isinstance(self.dataset, TensorDataset) and len(self.dataset.tensors) == 2:
                labels = self.dataset.tensors[1].data[start : start + len(indices)]
                yield batch[0], Tensor(labels)
            else:
                yield batch
