# What a student believed: After an error the epoch has to begin anew.
# caught by: test_follow
# reads: If a loop is left, or ends in an error, the bookmark keeps its place.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        try:
            for batch in load(islice(plan, self.batches, None)):
                self.batches += 1
                yield batch
        except Exception:
            self.batches = 0
            raise
        self.epoch, self.batches = self.epoch + 1, 0
