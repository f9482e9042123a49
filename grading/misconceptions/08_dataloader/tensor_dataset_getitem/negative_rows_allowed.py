# What a student believed: -1 is the last row, as in a list.
# caught by: test_tensor_dataset_getitem
# reads: An i outside 0..N-1 raises IndexError: Index i out of range for dataset of size N.
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if index >= len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(Tensor(tensor.data[index]) for tensor in self.tensors)
