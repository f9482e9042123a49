# What a student believed: The loader behind the slice refuses what is too far.
# caught by: test_slice_batch_loader
# reads: A range outside the slice raises IndexError, although the loader has those records.
class SliceBatchLoader:
    def get_batch(self, start, end):
        return self.loader.get_batch(self.start + start, self.start + end)
