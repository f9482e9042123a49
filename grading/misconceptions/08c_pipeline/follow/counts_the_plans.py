# What a student believed: A plan that was taken is a batch that was handed out.
# caught by: test_follow
# reads: Batches that were handed out count, not those that were loaded ahead.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        def counted(plans):
            for one in plans:
                self.batches += 1
                yield one

        yield from load(counted(islice(plan, self.batches, None)))
        self.epoch, self.batches = self.epoch + 1, 0
