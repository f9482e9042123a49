# What a student believed: A load that raises an error has no batches left.
# caught by: test_follow
# reads: An error of plan or load reaches the caller unchanged, without a retry.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        try:
            for batch in load(islice(plan, self.batches, None)):
                self.batches += 1
                yield batch
        except Exception:
            pass
        self.epoch, self.batches = self.epoch + 1, 0
