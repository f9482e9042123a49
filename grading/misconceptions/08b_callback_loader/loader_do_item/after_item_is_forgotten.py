# What a student believed: An item is ready when it is read.
# caught by: test_loader_do_item
# reads: do_item(s) passes the result of create_item(s) to after_item and returns its result.
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.read(0 if s is None else s)
        if s is not None:
            raise IndexError(f"a stream has no item {s}")
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("create_item", s)
        except SkipItemException:
            return None
