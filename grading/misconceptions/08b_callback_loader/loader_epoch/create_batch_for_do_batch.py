# What a student believed: A piece is collated, and that is a batch.
# caught by: test_loader_epoch
# reads: Each sample goes through self.do_item, each piece of self.chunkify(items) through
# self.do_batch, in order.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        items = (item for item in map(self.do_item, samples) if item is not None)
        for piece in self.chunkify(items):
            yield self.create_batch(piece)
