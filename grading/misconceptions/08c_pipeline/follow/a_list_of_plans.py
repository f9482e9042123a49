# What a student believed: The plan has to be a list, so that its beginning can be cut off.
# caught by: test_follow
# reads: load is called once, and further plans are taken only when it asks.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in load(iter(list(plan)[self.batches :])):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0
