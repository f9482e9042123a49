# What a student believed: There is always one more batch for the rest.
# caught by: test_loader_len
# reads: len(loader) is N / batch_size, rounded up: a short last batch counts.
class DataLoader:
    def __len__(self) -> int:
        full = len(self.dataset) // self.batch_size
        return full if self.drop_last else full + 1
