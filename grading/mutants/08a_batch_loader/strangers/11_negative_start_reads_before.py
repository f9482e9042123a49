# What the student believed: shift first, then check against the end of the slice.
# breaks: "A range outside the slice is an IndexError, although the loader behind it
# could answer"; SliceBatchLoader(loader, 80, 20).get_batch(-5, 3) reads 75..82.
class SliceBatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        first, last = self.start + start, self.start + end
        check_range(first, last, self.start + self.length)
        return self.loader.get_batch(first, last)

    def __init__(self, loader, start: int, length: int):
        if start < 0 or length < 0 or start + length > len(loader):
            raise ValueError(
                f"records {start} to {start + length} do not fit into a loader of"
                f" {len(loader)} (start {start}, length {length})"
            )
        self.loader, self.start, self.length = loader, start, length

    def __len__(self) -> int:
        return self.length
