# What a student believed: Another beginning is another order.
# caught by: test_loader_get_idxs
# reads: Every order is possible, and each call draws a new one.
class DataLoader:
    def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
        start = int(self.rng.integers(0, len(idxs))) if len(idxs) else 0
        return [*idxs[start:], *idxs[:start]]
