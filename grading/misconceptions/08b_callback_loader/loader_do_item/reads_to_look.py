# What a student believed: Reading an item shows whether it is there.
# caught by: test_loader_do_item
# reads: create_item(s) of an indexed dataset reads its item s, once.
class DataLoader:
    def create_item(self, s):
        if self.indexed and self.read(0 if s is None else s) is not None:
            return self.read(0 if s is None else s)
        if s is not None:
            raise IndexError(f"a stream has no item {s}")
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except SkipItemException:
            return None
