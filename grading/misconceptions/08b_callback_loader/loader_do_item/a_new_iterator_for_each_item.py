# What a student believed: iter(dataset) goes on where it was.
# caught by: test_loader_do_item
# reads: create_item(None) of a stream is the next item of self.it.
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.read(0 if s is None else s)
        if s is not None:
            raise IndexError(f"a stream has no item {s}")
        return next(iter(self.dataset))
