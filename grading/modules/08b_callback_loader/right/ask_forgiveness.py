# "Easier to ask forgiveness than permission": next, exceptions, flags, heapq, deque.


def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    iterator, ended = iter(items), False
    while not ended:
        piece = []
        while len(piece) < size:
            try:
                piece.append(next(iterator))
            except StopIteration:
                ended = True
                break
        if piece and not (ended and drop_last):
            yield piece


class DataLoader:
    def do_item(self, s):
        self.aim(s)
        try:
            item = self.call("create_item", s)
        except SkipItemException:
            return None
        try:
            return self.call("after_item", item)
        except SkipItemException:
            return None

    def create_batches(self, samples: Iterable) -> Iterator:
        def wanted():
            iterator = iter(samples)
            while True:
                try:
                    item = self.do_item(next(iterator))
                except StopIteration:  # of the samples or of stop()
                    break
                if item is None:
                    continue
                yield item

        return map(self.do_batch, self.chunkify(wanted()))

    def _epoch(self, now) -> Iterator:
        self.now = now
        self.before_iter()
        batches = iter(self.load(self.get_idxs()))
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                break
            yield self.after_batch(batch)
        self.after_iter()


def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    import heapq

    waiting, parcels, due, iterator = [], {}, 0, iter(results)
    while True:
        if waiting and waiting[0] == due:
            heapq.heappop(waiting)
            due += 1
            yield parcels.pop(due - 1)
            continue
        try:
            number, parcels[number] = next(iterator)
        except StopIteration:
            return
        heapq.heappush(waiting, number)
