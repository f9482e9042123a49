# What the student believed: a sample that was read once need not be read again.
# breaks: "looks like a smaller dataset, but stores only the numbers of the samples it
# shows": every sample read is kept; over a ReadLog, subset[0] twice reads once, and a
# dataset with random transforms shows the same variant for ever.
class Subset:
    def __getitem__(self, index: int):
        """Return `dataset[indices[index]]`."""
        if not 0 <= index < len(self.indices):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.indices)}")
        known = self.__dict__.setdefault("known", {})
        if index not in known:
            known[index] = self.dataset[self.indices[index]]
        return known[index]
