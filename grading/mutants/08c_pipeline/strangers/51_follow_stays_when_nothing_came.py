# What the student believed: an epoch without batches was no epoch.
# breaks: "when the epoch has ended, the bookmark stands at the beginning of the next
# one"; Bookmark(2, 5) and five plans: no batch comes, and it must read (3, 0).
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        before = self.batches
        for batch in load(islice(plan, before, None)):
            self.batches += 1
            yield batch
        if self.batches > before:
            self.epoch, self.batches = self.epoch + 1, 0
