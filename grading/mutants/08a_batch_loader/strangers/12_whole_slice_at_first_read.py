# What the student believed: lazy means that the slice is read when it is first used.
# breaks: "Nothing is read before it is asked for, and then only that range";
# SliceBatchLoader(loader, 10, 50).get_batch(0, 5) asks the loader for 10:60.
class SliceBatchLoader:
    def __init__(self, loader, start: int, length: int):
        if start < 0 or length < 0 or start + length > len(loader):
            raise ValueError(
                f"a slice from {start} of length {length} does not fit into a loader of"
                f" {len(loader)} records"
            )
        self.loader, self.start, self.length = loader, start, length
        self._whole = None

    def __len__(self) -> int:
        return self.length

    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, self.length)
        if self._whole is None:
            self._whole = self.loader.get_batch(self.start, self.start + self.length)
        return Batch(
            {name: array[start:end] for name, array in self._whole.inputs.items()},
            {name: array[start:end] for name, array in self._whole.outputs.items()},
        )
