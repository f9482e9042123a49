# What a student believed: load makes one batch of one plan.
# caught by: test_follow
# reads: load is called once, and further plans are taken only when it asks.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for one in islice(plan, self.batches, None):
            for batch in load(iter([one])):
                self.batches += 1
                yield batch
        self.epoch, self.batches = self.epoch + 1, 0
