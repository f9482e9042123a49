# What a student believed: A range of one record is too short to be safe.
# caught by: test_batch_loader_dataset
# reads: The loader is asked for record i alone, or once for each run of the sorted indices.
class BatchLoaderDataset:
    def __getitem__(self, index):
        if not 0 <= index < len(self.loader):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.loader)}")
        batch = self.loader.get_batch(index, min(index + 2, len(self.loader)))
        return (
            as_sample({name: array[0].copy() for name, array in batch.inputs.items()}, "input"),
            as_sample({name: array[0].copy() for name, array in batch.outputs.items()}, "output"),
        )
