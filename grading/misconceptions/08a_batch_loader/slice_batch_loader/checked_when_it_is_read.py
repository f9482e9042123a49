# What a student believed: Whether a slice fits is seen when it is read.
# caught by: test_slice_batch_loader
# reads: A slice that does not fit into its loader raises ValueError with its numbers when made.
class SliceBatchLoader:
    def __init__(self, loader, start, length):
        self.loader, self.start, self.length = loader, start, max(length, 0)
