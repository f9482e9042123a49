# What the student believed: a slice of a slice is a slice of the loader behind it.
# breaks: "A slice that does not fit into the loader is a ValueError";
# SliceBatchLoader(SliceBatchLoader(loader_of_100, 0, 80), 75, 10) reads records 80..84,
# which are validation's.
class SliceBatchLoader:
    def __init__(self, loader, start: int, length: int):
        if isinstance(loader, SliceBatchLoader):
            loader, start = loader.loader, loader.start + start
        if start < 0 or length < 0 or start + length > len(loader):
            raise ValueError(
                f"a slice of {length} records from record {start} on does not fit into"
                f" a loader of {len(loader)}"
            )
        self.loader, self.start, self.length = loader, start, length

    def __len__(self) -> int:
        return self.length

    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, self.length)
        return self.loader.get_batch(self.start + start, self.start + end)
