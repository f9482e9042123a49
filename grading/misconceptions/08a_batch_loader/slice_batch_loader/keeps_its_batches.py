# What a student believed: What was read once need not be read again.
# caught by: test_slice_batch_loader
# reads: Each call asks the loader once, for the range it needs and for nothing else.
class SliceBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        if not hasattr(self, "read"):
            self.read = {}
        if (start, end) not in self.read:
            self.read[start, end] = self.loader.get_batch(self.start + start, self.start + end)
        return self.read[start, end]
