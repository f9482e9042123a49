# What a student believed: after_iter closes what before_iter opened, even after an error.
# caught by: test_loader_epoch
# reads: after_iter is not called if the loop ends early or an error ends it.
class DataLoader:
    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        try:
            for batch in self.load(self.get_idxs()):
                yield self.after_batch(batch)
        except Exception:
            self.after_iter()
            raise
        self.after_iter()
