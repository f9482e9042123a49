# What a student believed: after_batch changes the batch that it gets.
# caught by: test_loader_epoch
# reads: The loop gets what after_batch makes of each batch of self.load(...).
class DataLoader:
    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        for batch in self.load(self.get_idxs()):
            self.after_batch(batch)
            yield batch
        self.after_iter()
