# What a student believed: A StopIteration ends a generator.
# caught by: test_loader_epoch
# reads: A StopIteration of do_item ends the items; those read before it still make a batch.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        def items():
            for s in samples:
                item = self.do_item(s)
                if item is not None:
                    yield item

        for piece in self.chunkify(items()):
            yield self.do_batch(piece)
