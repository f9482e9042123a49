# What a student believed: An item that is false was skipped.
# caught by: test_loader_epoch
# reads: Only None is left out: an item may be 0, empty or False.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        for piece in self.chunkify(filter(None, map(self.do_item, samples))):
            yield self.do_batch(piece)
