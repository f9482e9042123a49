# What a student believed: The length of the dataset is the length of what it keeps.
# caught by: test_tensor_dataset_getitem
# reads: len(ds) is N, the size of dimension 0.
class TensorDataset:
    def __len__(self) -> int:
        return len(self.tensors)
