# What a student believed: A single number is a Python number.
# caught by: test_batch_loader_dataset
# reads: A sample is record i without the dimension of records; dtypes are kept.
class BatchLoaderDataset:
    def __getitem__(self, index):
        if not 0 <= index < len(self.loader):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.loader)}")
        batch = self.loader.get_batch(index, index + 1)

        def rows(arrays):
            return {
                name: array[0].copy() if array.ndim > 1 else array[0].item()
                for name, array in arrays.items()
            }

        return as_sample(rows(batch.inputs), "input"), as_sample(rows(batch.outputs), "output")
