# What a student believed: There is always one more batch for the rest.
# caught by: test_loader_len
# reads: len(loader) rounds up, and down with drop_last.
class DataLoader:
    def __len__(self) -> int:
        full = len(self.dataset) // self.batch_size
        return full if self.drop_last else full + 1
