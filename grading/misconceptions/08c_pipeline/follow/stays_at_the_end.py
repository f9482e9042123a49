# What a student believed: At the end of an epoch the bookmark says how many batches it had.
# caught by: test_follow
# reads: After the last batch the bookmark is at the next epoch: epoch + 1, 0 batches.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in load(islice(plan, self.batches, None)):
            self.batches += 1
            yield batch
