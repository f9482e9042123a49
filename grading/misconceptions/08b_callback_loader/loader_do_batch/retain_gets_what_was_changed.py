# What a student believed: The items are what before_batch made of them.
# caught by: test_loader_do_batch
# reads: retain gets the batch and the items that do_batch got.
class DataLoader:
    def do_batch(self, items):
        items = self.before_batch(items)
        return self.retain(self.create_batch(items), items)
