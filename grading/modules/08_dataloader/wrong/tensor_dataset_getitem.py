# %% length_counts_tensors: The length of the dataset is the length of what it keeps.
# (promise 1)
class TensorDataset:
    def __len__(self) -> int:
        return len(self.tensors)


# %% bare_rows: A row of a Tensor's array is still a Tensor. (promise 2)
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(tensor.data[index] for tensor in self.tensors)


# %% a_slice_of_one_row: Row i is the slice from i to i + 1. (promise 3)
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(Tensor(tensor.data[index : index + 1]) for tensor in self.tensors)


# %% casts_to_float32: A network computes in float32, so a sample should be float32
# already. (promise 4)
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(Tensor(tensor.data[index].astype(np.float32)) for tensor in self.tensors)


# %% negative_rows_allowed: -1 is the last row, as in a list. (promise 5)
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        if index >= len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(Tensor(tensor.data[index]) for tensor in self.tensors)
