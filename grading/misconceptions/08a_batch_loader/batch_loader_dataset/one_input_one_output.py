# What a student believed: A side has one array.
# caught by: test_batch_loader_dataset
# reads: Inputs or outputs with only the default name are a bare Tensor, others a dict.
class BatchLoaderDataset:
    def __getitem__(self, index):
        if not 0 <= index < len(self.loader):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.loader)}")
        batch = self.loader.get_batch(index, index + 1)
        return tuple(
            Tensor(np.array(next(iter(side.values()))[0])) for side in (batch.inputs, batch.outputs)
        )
