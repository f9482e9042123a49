# %% skips_after_cutting: A batch with a skipped item is shorter. (promise 2)
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        for piece in self.chunkify(map(self.do_item, samples)):
            yield self.do_batch([item for item in piece if item is not None])


# %% false_is_skipped: An item that is false was skipped. (promise 3)
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        for piece in self.chunkify(filter(None, map(self.do_item, samples))):
            yield self.do_batch(piece)


# %% stop_inside_a_generator: A StopIteration ends a generator. (promise 4)
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        def items():
            for s in samples:
                item = self.do_item(s)
                if item is not None:
                    yield item

        for piece in self.chunkify(items()):
            yield self.do_batch(piece)


# %% all_items_first: Items have to be there before they can be cut. (promise 5)
class DataLoader:
    def create_batches(self, samples: Iterable) -> Iterator:
        items = [item for item in list(map(self.do_item, samples)) if item is not None]
        for piece in self.chunkify(items):
            yield self.do_batch(piece)


# %% after_batch_changes_in_place: after_batch changes the batch that it gets. (promise
# 7)
class DataLoader:
    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        for batch in self.load(self.get_idxs()):
            self.after_batch(batch)
            yield batch
        self.after_iter()


# %% after_iter_at_any_end: after_iter cleans up, so it always has to run. (promise 8)
class DataLoader:
    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        try:
            for batch in self.load(self.get_idxs()):
                yield self.after_batch(batch)
        finally:
            self.after_iter()
