# What a student believed: after_iter cleans up, so it always has to run.
# caught by: test_loader_epoch
# reads: after_iter is not called if the loop ends early or an error ends it.
class DataLoader:
    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        try:
            for batch in self.load(self.get_idxs()):
                yield self.after_batch(batch)
        finally:
            self.after_iter()
