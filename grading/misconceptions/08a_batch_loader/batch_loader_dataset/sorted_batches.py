# What a student believed: The order inside a batch does not matter.
# caught by: test_batch_loader_dataset
# reads: A batch has the records in the order asked for, with repeats.
class BatchLoaderDataset:
    def __getitems__(self, indices):
        wanted = np.unique(np.asarray(indices, dtype=np.int64))
        if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < len(self.loader):
            raise IndexError(f"Index out of range for dataset of size {len(self.loader)}")
        batches = [
            self.loader.get_batch(start, end) for start, end in index_runs(wanted) or [(0, 0)]
        ]
        return assemble(batches, np.arange(len(wanted)))
