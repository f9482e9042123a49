# What a student believed: A list of batches can be iterated too, so no generator is needed.
# caught by: test_loader_batches
# reads: A batch reads only its own samples, each once, and only when you ask for the batch.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        pieces = [
            order[start : start + self.batch_size]
            for start in range(0, len(order), self.batch_size)
        ]
        if self.drop_last:
            pieces = [piece for piece in pieces if len(piece) == self.batch_size]
        return iter([self._load(piece, key) for piece in pieces])
