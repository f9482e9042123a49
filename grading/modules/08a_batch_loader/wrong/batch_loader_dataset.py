# %% a_batch_of_one_is_a_sample: A batch of one record is a sample. (promise 1)
class BatchLoaderDataset:
    def __getitem__(self, index):
        if not 0 <= index < len(self.loader):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.loader)}")
        batch = self.loader.get_batch(index, index + 1)
        return as_sample(batch.inputs, "input"), as_sample(batch.outputs, "output")


# %% sorted_batches: The order inside a batch does not matter. (promise 2)
class BatchLoaderDataset:
    def __getitems__(self, indices):
        wanted = np.unique(np.asarray(indices, dtype=np.int64))
        if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < len(self.loader):
            raise IndexError(f"Index out of range for dataset of size {len(self.loader)}")
        batches = [
            self.loader.get_batch(start, end) for start, end in index_runs(wanted) or [(0, 0)]
        ]
        return assemble(batches, np.arange(len(wanted)))


# %% record_by_record: A batch is its samples, read one by one. (promise 4)
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


# %% the_loader_checks: The loader refuses an index outside, so the adapter need not.
# (promise 6)
class BatchLoaderDataset:
    def __getitems__(self, indices):
        wanted, places = np.unique(np.asarray(indices, dtype=np.int64), return_inverse=True)
        runs = index_runs(wanted) or [(0, 0)]
        return assemble([self.loader.get_batch(start, end) for start, end in runs], places)


# %% a_row_is_a_view: array[0] is a value of its own. (promise 7)
class BatchLoaderDataset:
    def __getitem__(self, index):
        if not 0 <= index < len(self.loader):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.loader)}")
        batch = self.loader.get_batch(index, index + 1)
        return (
            as_sample({name: array[0] for name, array in batch.inputs.items()}, "input"),
            as_sample({name: array[0] for name, array in batch.outputs.items()}, "output"),
        )


# %% asarray_makes_my_own: np.asarray makes an array of one's own. (promise 9)
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
