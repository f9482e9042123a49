# What a student believed: np.asarray makes an array of one's own.
# caught by: test_batch_loader_dataset
# reads: The indices given are not changed.
class BatchLoaderDataset:
    def __getitems__(self, indices: Sequence[int]) -> tuple:
        indices = np.asarray(indices, dtype=np.int64)
        places = np.unique(indices, return_inverse=True)[1]
        indices.sort()
        if len(indices) and (indices[0] < 0 or indices[-1] >= len(self)):
            wrong = indices[0] if indices[0] < 0 else indices[-1]
            raise IndexError(f"Index {wrong} out of range for dataset of size {len(self)}")
        wanted = indices[np.append(True, np.diff(indices) > 0)[: len(indices)]]
        runs = index_runs(wanted) or [(0, 0)]
        return assemble([self.loader.get_batch(*run) for run in runs], places)
