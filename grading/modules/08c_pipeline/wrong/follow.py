# %% batches_is_the_last_one: `batches` is the number of the last batch that was handed
# out. (promise 1)
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in load(islice(plan, self.batches + 1, None)):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0


# %% loads_what_it_skips: Batches are skipped after they were loaded. (promise 2)
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in islice(load(plan), self.batches, None):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0


# %% a_list_of_plans: The plan has to be a list, so that its beginning can be cut off.
# (promise 3)
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in load(iter(list(plan)[self.batches :])):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0


# %% counted_afterwards: A batch is done when the loop comes back for the next one.
# (promise 4)
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        for batch in load(islice(plan, self.batches, None)):
            yield batch
            self.batches += 1
        self.epoch, self.batches = self.epoch + 1, 0


# %% counts_the_plans: A plan that was taken is a batch that was handed out. (promise 5)
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        def counted(plans):
            for one in plans:
                self.batches += 1
                yield one

        yield from load(counted(islice(plan, self.batches, None)))
        self.epoch, self.batches = self.epoch + 1, 0


# %% finally_the_next_epoch: finally runs when the loop has come to its end. (promise 7)
class Bookmark:
    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        try:
            for batch in load(islice(plan, self.batches, None)):
                self.batches += 1
                yield batch
        finally:
            self.epoch, self.batches = self.epoch + 1, 0
