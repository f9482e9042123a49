# What a student believed: A batch with a skipped item is shorter.
# caught by: test_loader_epoch
# reads: An item that is None is left out before cutting, so it takes no place in a batch.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        for piece in self.chunkify(map(self.do_item, samples)):
            yield self.do_batch([item for item in piece if item is not None])
