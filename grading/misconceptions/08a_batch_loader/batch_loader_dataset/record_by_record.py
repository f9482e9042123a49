# What a student believed: A batch is its samples, read one by one.
# caught by: test_batch_loader_dataset
# reads: The loader is asked for record i alone, or once for each run of the sorted indices.
class BatchLoaderDataset:
    def __getitems__(self, indices):
        for index in indices:
            if not 0 <= index < len(self.loader):
                raise IndexError(
                    f"Index {index} out of range for dataset of size {len(self.loader)}"
                )
        batches = [self.loader.get_batch(index, index + 1) for index in indices] or [
            self.loader.get_batch(0, 0)
        ]
        return assemble(batches, np.arange(len(indices)))
