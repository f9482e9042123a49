# What a student believed: Batches are skipped after they were loaded.
# caught by: test_follow
# reads: The first self.batches plans are skipped, and never loaded.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in islice(load(plan), self.batches, None):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0
