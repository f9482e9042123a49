# What a student believed: The list of indices raises IndexError by itself, so no check is needed.
# caught by: test_subset
# reads: An i outside 0..len-1 raises IndexError with the index and the size: Index i out of
# range for dataset of size len.
class Subset:
    def __getitem__(self, index: int):
        return self.dataset[self.indices[index]]
