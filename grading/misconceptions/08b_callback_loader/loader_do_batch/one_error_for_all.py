# What a student believed: An error shall say that it was a batch.
# caught by: test_loader_do_batch
# reads: An error of one of the three hooks reaches the caller unchanged, without a retry.
class DataLoader:
    def do_batch(self, items):
        try:
            return self.retain(self.create_batch(self.before_batch(items)), items)
        except Exception as problem:
            raise RuntimeError(f"a batch of {len(items)} items cannot be made") from problem
