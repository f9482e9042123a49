# What a student believed: A hook that returns nothing leaves the items.
# caught by: test_loader_do_batch
# reads: before_batch gets the items, and create_batch what before_batch returned.
class DataLoader:
    def do_batch(self, items):
        changed = self.before_batch(items) or items
        return self.retain(self.create_batch(changed), items)
