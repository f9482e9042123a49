# What a student believed: A batch of one record is a sample.
# caught by: test_batch_loader_dataset
# reads: A sample is record i without the dimension of records; dtypes are kept.
class BatchLoaderDataset:
    def __getitem__(self, index):
        if not 0 <= index < len(self.loader):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.loader)}")
        batch = self.loader.get_batch(index, index + 1)
        return as_sample(batch.inputs, "input"), as_sample(batch.outputs, "output")
