# What a student believed: What the loader cannot read is out of range.
# caught by: test_batch_loader_dataset
# reads: An error of the loader reaches the caller unchanged, without a retry.
class BatchLoaderDataset:
    def __getitem__(self, index):
        if not 0 <= index < len(self.loader):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.loader)}")
        try:
            batch = self.loader.get_batch(index, index + 1)
        except Exception:
            raise IndexError(f"Index {index} cannot be read") from None
        return (
            as_sample({name: array[0].copy() for name, array in batch.inputs.items()}, "input"),
            as_sample({name: array[0].copy() for name, array in batch.outputs.items()}, "output"),
        )
