# What a student believed: The number of batches is found by counting them.
# caught by: test_loader_len
# reads: It reads no sample.
class DataLoader:
    def __len__(self) -> int:
        count = 0
        for _ in range(0, len(self.dataset), self.batch_size):
            count += 1
        if len(self.dataset):
            self.dataset[0]
        if self.drop_last and len(self.dataset) % self.batch_size:
            count -= 1
        return count
