# What a student believed: An IndexError can only mean that the index is outside the subset.
# caught by: test_subset
# reads: An error from the dataset reaches the caller unchanged, and the dataset is not asked
# again.
class Subset:
    def __getitem__(self, index: int):
        message = f"Index {index} out of range for dataset of size {len(self.indices)}"
        if index < 0:
            raise IndexError(message)
        try:
            return self.dataset[self.indices[index]]
        except IndexError:
            raise IndexError(message) from None
