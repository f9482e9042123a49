# What a student believed: A network computes in float32, so a sample should be float32 already.
# caught by: test_tensor_dataset_getitem
# reads: The dtype is kept: integer labels stay integers, bytes stay bytes.
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(Tensor(tensor.data[index].astype(np.float32)) for tensor in self.tensors)
