# What a student believed: The list of indices raises IndexError by itself, so no check is needed.
# caught by: test_subset
# reads: An index outside the subset is an IndexError with the index and the size.
class Subset:
    def __getitem__(self, index: int):
        return self.dataset[self.indices[index]]
