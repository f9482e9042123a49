# What a student believed: Row i is the slice from i to i + 1.
# caught by: test_tensor_dataset_getitem
# reads: Part k of ds[i] is row i of tensor k.
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(Tensor(tensor.data[index : index + 1]) for tensor in self.tensors)
