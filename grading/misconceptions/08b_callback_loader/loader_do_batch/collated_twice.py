# What a student believed: create_batch can be asked again for what it returned.
# caught by: test_loader_do_batch
# reads: before_batch, create_batch and retain are called in this order, each once.
class DataLoader:
    def do_batch(self, items):
        changed = self.before_batch(items)
        self.create_batch(changed)
        return self.retain(self.create_batch(changed), items)
