# What the student believed: only the position must be local; the order belongs to the
# loader.
# breaks: "two loops over one loader do not disturb each other": with shuffle=True, when
# a second iter(loader) has begun, the first goes on in the order of the second; some
# samples come twice and others never.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        """Yield the batches of one epoch, each read when it is asked for."""
        key = EpochKey.of(self.seed, epoch)  # given
        self.order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        size = int(self.batch_size)
        for start in range(0, len(self.order), size):
            indices = self.order[start : start + size]
            if len(indices) == size or not self.drop_last:
                yield self._load(indices, key)
