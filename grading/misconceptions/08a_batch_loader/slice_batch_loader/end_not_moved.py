# What a student believed: Only the start of a range has to be moved.
# caught by: test_slice_batch_loader
# reads: Record i of a slice is record start + i of its loader.
class SliceBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        return self.loader.get_batch(self.start + start, end)
