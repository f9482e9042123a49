# What a student believed: Items have to be there before they can be cut.
# caught by: test_loader_epoch
# reads: Nothing is read before its batch is asked for.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        items = [item for item in list(map(self.do_item, samples)) if item is not None]
        for piece in self.chunkify(items):
            yield self.do_batch(piece)
