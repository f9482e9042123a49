# What a student believed: finally runs when the loop has come to its end.
# caught by: test_follow
# reads: If a loop is left, or ends in an error, the bookmark keeps its place.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        try:
            for batch in load(islice(plan, self.batches, None)):
                self.batches += 1
                yield batch
        finally:
            self.epoch, self.batches = self.epoch + 1, 0
