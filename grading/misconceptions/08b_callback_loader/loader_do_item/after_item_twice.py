# What a student believed: A first call shows whether the item is skipped.
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
            item = self.call("create_item", s)
            if self.call("after_item", item) is not None:
                return self.call("after_item", item)
        except SkipItemException:
            return None
