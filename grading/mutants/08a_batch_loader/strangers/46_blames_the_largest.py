# What the student believed: an index outside is the largest one.
# breaks: "An index outside is the same IndexError, also -1"; __getitems__([-1, 5]) says
# "Index 5 out of range for dataset of size 100".
class BatchLoaderDataset:
    def __getitems__(self, indices: Sequence[int]) -> tuple:
        wanted, places = np.unique(np.asarray(indices, dtype=np.int64), return_inverse=True)
        if len(wanted) and not (0 <= wanted[0] and wanted[-1] < len(self)):
            raise IndexError(f"Index {wanted[-1]} out of range for dataset of size {len(self)}")
        runs = index_runs(wanted) or [(0, 0)]
        return assemble([self.loader.get_batch(*run) for run in runs], places)
