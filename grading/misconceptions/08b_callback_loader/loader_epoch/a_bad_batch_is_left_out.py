# What a student believed: A batch that cannot be made is left out.
# caught by: test_loader_epoch
# reads: An error of a method or hook of an epoch reaches the caller unchanged, without a retry.
class DataLoader:
    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        for batch in self.load(self.get_idxs()):
            try:
                batch = self.after_batch(batch)
            except Exception:
                continue
            yield batch
        self.after_iter()
