# What the student believed: an epoch has ended when its generator ends.
# breaks: "when the epoch has ended, the bookmark stands at the beginning of the next
# one"; five plans, one next(), close(): the bookmark must stay at (0, 1).
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        try:
            for batch in load(islice(plan, self.batches, None)):
                self.batches += 1
                yield batch
        finally:
            self.epoch, self.batches = self.epoch + 1, 0
