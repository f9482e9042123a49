# What a student believed: The batches have to be counted before they are handed out.
# caught by: test_follow
# reads: load is called once, and further plans are taken only when it asks.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in list(load(islice(plan, self.batches, None))):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0
