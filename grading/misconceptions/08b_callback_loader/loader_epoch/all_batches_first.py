# What a student believed: An epoch is a list of batches.
# caught by: test_loader_epoch
# reads: Nothing is read before its batch is asked for.
class DataLoader:
    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        for batch in list(map(self.after_batch, self.load(self.get_idxs()))):
            yield batch
        self.after_iter()
