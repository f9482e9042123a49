# What a student believed: A subset holds its samples; looking them up once, when it is made, saves
# time later.
# caught by: test_subset
# reads: Making a subset reads no sample; subset[i] reads its sample once, and no other.
class Subset:
    def __init__(self, dataset, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = list(indices)
        self.samples = [dataset[i] for i in self.indices]

    def __getitem__(self, index: int):
        if not 0 <= index < len(self.samples):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.samples)}")
        return self.samples[index]
