# What the student believed: a slice starts at a record of the loader.
# breaks: "both 0 or more; start + length is at most len(loader)";
# SliceBatchLoader(loader_of_100, 100, 0) (a validation part of 0%) raises ValueError.
class SliceBatchLoader:
    def __init__(self, loader, start: int, length: int):
        records = len(loader)
        if not 0 <= start < records or not 0 <= length <= records - start:
            raise ValueError(f"start={start}, length={length} do not fit into {records} records")
        self.loader = loader
        self.start = start
        self.length = length

    def __len__(self) -> int:
        return self.length

    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, self.length)
        return self.loader.get_batch(start + self.start, end + self.start)
