# What a student believed: The count is that of the batches since the loop began.
# caught by: test_follow
# reads: While a batch is used, self.batches counts it already.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        rest = islice(plan, self.batches, None)
        for self.batches, batch in enumerate(load(rest), start=1):
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0
