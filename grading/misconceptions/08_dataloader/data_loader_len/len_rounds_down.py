# What a student believed: The number of batches is N divided by the batch size, as a whole number.
# caught by: test_loader_len
# reads: len(loader) is N / batch_size, rounded up: a short last batch counts.
class DataLoader:
    def __len__(self) -> int:
        return len(self.dataset) // self.batch_size
