# What a student believed: .item() takes a number out of an array, and Tensor puts it back.
# caught by: test_tensor_dataset_getitem
# reads: The dtype is kept: integer labels stay integers, bytes stay bytes.
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        rows = [tensor.data[index] for tensor in self.tensors]
        return tuple(Tensor(row.item() if row.ndim == 0 else row) for row in rows)
