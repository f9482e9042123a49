# What a student believed: array[0] is a value of its own.
# caught by: test_batch_loader_dataset
# reads: Samples and batches have their own memory.
class BatchLoaderDataset:
    def __getitem__(self, index):
        if not 0 <= index < len(self.loader):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.loader)}")
        batch = self.loader.get_batch(index, index + 1)
        return (
            as_sample({name: array[0] for name, array in batch.inputs.items()}, "input"),
            as_sample({name: array[0] for name, array in batch.outputs.items()}, "output"),
        )
