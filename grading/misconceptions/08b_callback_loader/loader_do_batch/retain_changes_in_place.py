# What a student believed: retain changes the batch that it gets.
# caught by: test_loader_do_batch
# reads: What retain returns is the batch.
class DataLoader:
    def do_batch(self, items):
        batch = self.create_batch(self.before_batch(items))
        self.retain(batch, items)
        return batch
