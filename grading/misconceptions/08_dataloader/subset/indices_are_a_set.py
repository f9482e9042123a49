# What a student believed: No sample is in a subset twice, and their order does not matter.
# caught by: test_subset
# reads: len(subset) is the number of indices.
class Subset:
    def __init__(self, dataset, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = sorted(set(indices))
