# What a student believed: before_batch changes the list that it gets.
# caught by: test_loader_do_batch
# reads: before_batch gets the items, and create_batch what before_batch returned.
class DataLoader:
    def do_batch(self, items):
        self.before_batch(items)
        return self.retain(self.create_batch(items), items)
