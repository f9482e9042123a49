# What a student believed: Whoever skips does it in after_item.
# caught by: test_loader_do_item
# reads: If either hook raises SkipItemException, do_item returns None.
class DataLoader:
    def do_item(self, s):
        self.aim(s)
        item = self.call("create_item", s)
        try:
            return self.call("after_item", item)
        except SkipItemException:
            return None
