# What a student believed: An index past the end starts again at the beginning.
# caught by: test_tensor_dataset_getitem
# reads: An index outside 0..N-1 is an IndexError with the index and the size.
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        row = index % len(self)
        return tuple(Tensor(tensor.data[row]) for tensor in self.tensors)
