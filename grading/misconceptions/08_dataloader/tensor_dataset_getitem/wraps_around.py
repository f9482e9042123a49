# What a student believed: An index past the end starts again at the beginning.
# caught by: test_tensor_dataset_getitem
# reads: An i outside 0..N-1 raises IndexError: Index i out of range for dataset of size N.
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        row = index % len(self)
        return tuple(Tensor(tensor.data[row]) for tensor in self.tensors)
