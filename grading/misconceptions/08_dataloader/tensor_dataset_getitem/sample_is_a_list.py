# What a student believed: A list and a tuple of the same parts are the same sample.
# caught by: test_tensor_dataset_getitem
# reads: ds[i] is a tuple with one Tensor for every tensor.
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return [Tensor(tensor.data[index]) for tensor in self.tensors]
