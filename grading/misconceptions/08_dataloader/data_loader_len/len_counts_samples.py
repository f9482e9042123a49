# What a student believed: The length of a loader is the length of its dataset.
# caught by: test_loader_len
# reads: len(loader) is N / batch_size, rounded up: a short last batch counts.
class DataLoader:
    def __len__(self) -> int:
        return len(self.dataset)
