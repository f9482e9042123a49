# What the student believed: np.argsort does what np.unique does.
# breaks: "it asks the loader for the runs of the sorted indices, each once";
# __getitems__([17, 4, 5, 17]) asks for 4:6, 17:18 and 17:18 (the batch is right).
class BatchLoaderDataset:
    def __getitems__(self, indices: Sequence[int]) -> tuple:
        asked = np.asarray(indices, dtype=np.int64).reshape(-1)
        for index in asked.tolist():
            if not 0 <= index < len(self):
                raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        order = np.argsort(asked, kind="stable")
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        runs = index_runs(asked[order].tolist()) or [(0, 0)]
        return assemble([self.loader.get_batch(*run) for run in runs], places)
