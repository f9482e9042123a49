# What the student believed: load turns one plan into one batch.
# breaks: "Call it once. It may take plans ahead"; five plans: load is called five
# times (workers are started for each batch).
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for one in islice(plan, self.batches, None):
            for batch in load(iter([one])):
                self.batches += 1
                yield batch
        self.epoch, self.batches = self.epoch + 1, 0
