# What a student believed: `batches` is the number of the last batch that was handed out.
# caught by: test_follow
# reads: The batches of the plan that are still to come are handed out, in order.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in load(islice(plan, self.batches + 1, None)):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0
