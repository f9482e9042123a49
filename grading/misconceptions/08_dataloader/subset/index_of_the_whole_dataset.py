# What a student believed: The index says which sample of the whole dataset is wanted.
# caught by: test_subset
# reads: subset[i] is dataset[indices[i]]; indices have any order and may repeat.
class Subset:
    def __getitem__(self, index: int):
        if not 0 <= index < len(self.indices):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.indices)}")
        return self.dataset[index]
