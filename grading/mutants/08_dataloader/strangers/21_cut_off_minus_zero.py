# What the student believed: order[:-rest] leaves out the rest, also when there is none.
# breaks: "The short last piece comes too, unless `drop_last`": with drop_last and N a
# multiple of batch_size, such as N = 8 and 4, order[:-0] is empty: no batch at all.
class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        """Yield the batches of one epoch, each read when it is asked for."""
        key = EpochKey.of(self.seed, epoch)  # given
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        size = int(self.batch_size)
        if self.drop_last:
            order = order[: -(len(order) % size)]
        for start in range(0, len(order), size):
            yield self._load(order[start : start + size], key)
