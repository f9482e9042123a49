# What a student believed: Reading may fail by accident, so one tries once more.
# caught by: test_subset
# reads: An error from the dataset reaches the caller unchanged, and the dataset is not asked
# again.
class Subset:
    def __getitem__(self, index: int):
        if not 0 <= index < len(self.indices):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.indices)}")
        try:
            return self.dataset[self.indices[index]]
        except Exception:
            return self.dataset[self.indices[index]]
