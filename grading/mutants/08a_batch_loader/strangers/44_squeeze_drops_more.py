# What the student believed: np.squeeze drops the dimension of records.
# breaks: "`dataset[i]` is record i"; records of shape (1, 28, 28) come out as (28, 28),
# while __getitems__ gives (B, 1, 28, 28).
class BatchLoaderDataset:
    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        batch = self.loader.get_batch(index, index + 1)
        inputs = {name: np.squeeze(array) for name, array in batch.inputs.items()}
        outputs = {name: np.squeeze(array) for name, array in batch.outputs.items()}
        return as_sample(inputs, "input"), as_sample(outputs, "output")
