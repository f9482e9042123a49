# What a student believed: An error shall say that it was a batch.
# caught by: test_loader_do_batch
# reads: What a hook of a batch raises reaches the caller unchanged, once.
class DataLoader:
    def do_batch(self, items):
        try:
            return self.retain(self.create_batch(self.before_batch(items)), items)
        except Exception as problem:
            raise RuntimeError(f"a batch of {len(items)} items cannot be made") from problem
