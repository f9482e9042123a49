# What the student believed: an IndexError means that the dataset has no more samples,
# as in Python's old way to iterate.
# breaks: "yields `self._load(piece, key)` for each": a dataset of 5 whose sample 3
# raises IndexError("bug") ends the epoch after one batch of 2, without a word.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        """Yield the batches of one epoch, each read when it is asked for."""
        key = EpochKey.of(self.seed, epoch)  # given
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        size = int(self.batch_size)
        for start in range(0, len(order), size):
            indices = order[start : start + size]
            if len(indices) < size and self.drop_last:
                return
            try:
                batch = self._load(indices, key)
            except IndexError:
                return  # no more samples
            yield batch
