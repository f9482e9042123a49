# What a student believed: The number of batches is N divided by the batch size, as a whole number.
# caught by: test_loader_len
# reads: len(loader) rounds up, and down with drop_last.
class DataLoader:
    def __len__(self) -> int:
        return len(self.dataset) // self.batch_size
