# What a student believed: What cannot be read ends the stream.
# caught by: test_loader_epoch
# reads: An error of a method or hook of an epoch reaches the caller unchanged, without a retry.
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        items = (item for item in map(self.do_item, samples) if item is not None)
        pieces = iter(self.chunkify(items))
        while True:
            try:
                piece = next(pieces)
            except Exception:
                return
            yield self.do_batch(piece)
