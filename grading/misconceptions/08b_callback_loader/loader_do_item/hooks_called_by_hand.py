# What a student believed: A hook is a method like any other.
# caught by: test_loader_do_item
# reads: Hooks that take rng, and datasets with sample_with, get the item's Generator.
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
            return self.after_item(self.create_item(s))
        except SkipItemException:
            return None
