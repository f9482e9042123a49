# What a student believed: Whatever s is, the dataset knows it.
# caught by: test_loader_do_item
# reads: create_item(None) of an indexed dataset reads its item 0.
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.read(s)
        if s is not None:
            raise IndexError(f"a stream has no item {s}")
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except SkipItemException:
            return None
