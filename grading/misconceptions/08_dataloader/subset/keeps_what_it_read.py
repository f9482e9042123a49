# What a student believed: A sample that was read once need not be read again.
# caught by: test_subset
# reads: Making a subset reads no sample; subset[i] reads its sample once, and no other.
class Subset:
    def __init__(self, dataset, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = list(indices)
        self.kept = {}

    def __getitem__(self, index: int):
        if not 0 <= index < len(self.indices):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.indices)}")
        number = self.indices[index]
        if number not in self.kept:
            self.kept[number] = self.dataset[number]
        return self.kept[number]
