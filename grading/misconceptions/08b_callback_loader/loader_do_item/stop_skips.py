# What a student believed: An item that does not come is left out.
# caught by: test_loader_do_item
# reads: A StopIteration of either hook reaches the caller: stop() raises it.
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
            return self.call("after_item", self.call("create_item", s))
        except (SkipItemException, StopIteration):
            return None
