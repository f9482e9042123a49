# %% length_of_the_whole_dataset: A subset shows the dataset, so it has the length of
# the dataset. (promise 1)
class Subset:
    def __len__(self) -> int:
        return len(self.dataset)


# %% index_of_the_whole_dataset: The index says which sample of the whole dataset is
# wanted. (promise 2)
class Subset:
    def __getitem__(self, index: int):
        if not 0 <= index < len(self.indices):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.indices)}")
        return self.dataset[index]


# %% copies_the_samples: A subset holds its samples; looking them up once, when it is
# made, saves time later. (promise 3)
class Subset:
    def __init__(self, dataset, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = list(indices)
        self.samples = [dataset[i] for i in self.indices]

    def __getitem__(self, index: int):
        if not 0 <= index < len(self.samples):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.samples)}")
        return self.samples[index]


# %% negative_counts_from_the_end: Only an index that is too large can be wrong.
# (promise 4)
class Subset:
    def __getitem__(self, index: int):
        if index >= len(self.indices):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.indices)}")
        return self.dataset[self.indices[index]]


# %% blames_the_index: An IndexError can only mean that the index is outside the subset.
# (promise 5)
class Subset:
    def __getitem__(self, index: int):
        message = f"Index {index} out of range for dataset of size {len(self.indices)}"
        if index < 0:
            raise IndexError(message)
        try:
            return self.dataset[self.indices[index]]
        except IndexError:
            raise IndexError(message) from None
