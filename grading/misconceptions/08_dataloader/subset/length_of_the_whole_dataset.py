# What a student believed: A subset shows the dataset, so it has the length of the dataset.
# caught by: test_subset
# reads: len(subset) is the number of indices.
class Subset:
    def __len__(self) -> int:
        return len(self.dataset)
