# What a student believed: An item is what create_item reads.
# caught by: test_loader_epoch
# reads: Each sample goes through self.do_item, each piece of self.chunkify(items) through
# self.do_batch, in order.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        items = (item for item in map(self.create_item, samples) if item is not None)
        for piece in self.chunkify(items):
            yield self.do_batch(piece)
