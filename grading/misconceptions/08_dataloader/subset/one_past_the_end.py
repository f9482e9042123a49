# What a student believed: An index is too large when it is larger than the length.
# caught by: test_subset
# reads: An i outside 0..len-1 raises IndexError with the index and the size: Index i out of
# range for dataset of size len.
class Subset:
    def __getitem__(self, index: int):
        if index < 0 or index > len(self.indices):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.indices)}")
        return self.dataset[self.indices[index]]
