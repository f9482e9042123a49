# What a student believed: A stream gives its next item, whatever is asked for.
# caught by: test_loader_do_item
# reads: create_item raises an IndexError for an index of a stream, even for 0.
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.read(0 if s is None else s)
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except SkipItemException:
            return None
