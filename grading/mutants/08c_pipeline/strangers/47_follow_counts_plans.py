# What the student believed: each plan that is taken is a batch that is handed out.
# breaks: "What was planned or loaded is not what was handed out."; a load that takes
# two plans ahead: while the first batch is used, `batches` is 3.
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        def counted(plans):
            for one in plans:
                self.batches += 1
                yield one

        yield from load(counted(islice(plan, self.batches, None)))
        self.epoch, self.batches = self.epoch + 1, 0
