# What a student believed: Samples are read faster in the order of the dataset.
# caught by: test_subset
# reads: subset[i] is dataset[indices[i]]; indices have any order and may repeat.
class Subset:
    def __init__(self, dataset, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = sorted(indices)
