# What a student believed: What belongs to a batch can lie in the loader.
# caught by: test_two_streams_of_batches_do_not_mix
# reads: Each sample goes through self.do_item, each piece of self.chunkify(items) through
# self.do_batch, in order.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        self.samples = iter(samples)
        for piece in self.chunkify(self._items()):
            yield self.do_batch(piece)

    def _items(self):
        while True:
            try:
                item = self.do_item(next(self.samples))
            except StopIteration:
                return
            if item is not None:
                yield item
