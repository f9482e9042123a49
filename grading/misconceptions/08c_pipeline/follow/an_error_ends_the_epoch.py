# What a student believed: A load that raises an error has no batches left.
# caught by: test_follow
# reads: What `plan` or `load` raises reaches the caller unchanged, once.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        try:
            for batch in load(islice(plan, self.batches, None)):
                self.batches += 1
                yield batch
        except Exception:
            pass
        self.epoch, self.batches = self.epoch + 1, 0
