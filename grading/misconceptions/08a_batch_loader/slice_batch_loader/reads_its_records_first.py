# What a student believed: A slice holds its records.
# caught by: test_slice_batch_loader
# reads: Making a slice reads nothing.
class SliceBatchLoader:
    def __init__(self, loader, start, length):
        if start < 0 or length < 0 or start + length > len(loader):
            raise ValueError(f"{length} records from {start} on do not fit into {len(loader)}")
        self.loader, self.start, self.length = loader, start, length
        self.records = loader.get_batch(start, start + length)
