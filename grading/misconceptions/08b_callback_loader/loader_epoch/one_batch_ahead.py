# What a student believed: The next batch can be made while the first is used.
# caught by: test_loader_epoch
# reads: Nothing is read before its batch is asked for.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        items = (item for item in map(self.do_item, samples) if item is not None)
        ready = []
        for piece in self.chunkify(items):
            ready.append(self.do_batch(piece))
            if len(ready) == 2:
                yield ready.pop(0)
        yield from ready
