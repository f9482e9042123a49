# What a student believed: A damaged item is left out, whatever is wrong with it.
# caught by: test_loader_do_item
# reads: A StopIteration of either hook reaches the caller: stop() raises it.
class DataLoader:
    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except Exception:
            return None
