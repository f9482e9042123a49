# What a student believed: A slice is given by its start and its end, as in Python.
# caught by: test_slice_batch_loader
# reads: len(part) is length, even if it is 0.
class SliceBatchLoader:
    def __init__(self, loader, start, length):
        if not 0 <= start <= len(loader) or length < 0:
            raise ValueError(f"start {start} and length {length} do not fit")
        self.loader, self.start, self.length = loader, start, length - start
