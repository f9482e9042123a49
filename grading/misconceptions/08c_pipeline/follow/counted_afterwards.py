# What a student believed: A batch is done when the loop comes back for the next one.
# caught by: test_follow
# reads: While a batch is used, self.batches counts it already.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in load(islice(plan, self.batches, None)):
            yield batch
            self.batches += 1
        self.epoch, self.batches = self.epoch + 1, 0
