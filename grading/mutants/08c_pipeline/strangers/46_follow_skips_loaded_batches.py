# What the student believed: skipping batches is the same as skipping plans.
# breaks: "its first `self.batches` items are skipped, and never loaded"; Bookmark(0, 3)
# and five plans: load gets plans 0, 1 and 2 too.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in islice(load(plan), self.batches, None):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0
