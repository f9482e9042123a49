# What a student believed: The order of two hooks does not matter.
# caught by: test_loader_epoch
# reads: before_iter comes before get_idxs, and after_iter after the last batch.
class DataLoader:
    def _epoch(self, now) -> Iterator:
        self.now = now
        idxs = self.get_idxs()
        self.before_iter()
        for batch in self.load(idxs):
            yield self.after_batch(batch)
        self.after_iter()
