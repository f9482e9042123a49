# What the student believed: to know the last batch, hold each one back until the next
# has been made.
# breaks: "No sample is read before its batch is asked for": the first next() over a
# ReadLog(range(10)) with batch_size=4 reads samples 0 to 7.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        """Yield the batches of one epoch, each read when it is asked for."""
        key = EpochKey.of(self.seed, epoch)  # given
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        size = int(self.batch_size)
        held_back = None
        for start in range(0, len(order), size):
            indices = order[start : start + size]
            if len(indices) < size and self.drop_last:
                break
            batch = self._load(indices, key)
            if held_back is not None:
                yield held_back[0]
            held_back = (batch,)
        if held_back is not None:
            yield held_back[0]
