# What a student believed: At the end of an epoch the bookmark says how many batches it had.
# caught by: test_follow
# reads: After the last batch the bookmark stands at the beginning of the next epoch.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in load(islice(plan, self.batches, None)):
            self.batches += 1
            yield batch
