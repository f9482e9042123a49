# What a student believed: An error shall say which item it was.
# caught by: test_loader_do_item
# reads: Any other error of the dataset or a hook reaches the caller unchanged, without a retry.
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
        except SkipItemException:
            return None
        except (KeyError, IndexError, AttributeError, OSError) as problem:
            raise RuntimeError(f"item {s} cannot be loaded") from problem
