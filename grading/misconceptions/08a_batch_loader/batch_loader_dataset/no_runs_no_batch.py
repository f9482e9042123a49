# What a student believed: A batch has at least one index.
# caught by: test_batch_loader_dataset
# reads: No indices give an empty batch, even from an empty loader.
class BatchLoaderDataset:
    def __getitems__(self, indices):
        wanted, places = np.unique(np.asarray(indices, dtype=np.int64), return_inverse=True)
        for index in wanted:
            if not 0 <= index < len(self.loader):
                raise IndexError(
                    f"Index {index} out of range for dataset of size {len(self.loader)}"
                )
        return assemble([self.loader.get_batch(*run) for run in index_runs(wanted)], places)
