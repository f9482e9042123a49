# What a student believed: self.read(s) is just another way to write self.dataset[s].
# caught by: test_loader_do_item
# reads: Hooks that take rng, and datasets with sample_with, get the item's Generator.
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.dataset[0 if s is None else s]
        if s is not None:
            raise IndexError(f"a stream has no item {s}")
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except SkipItemException:
            return None
