# What a student believed: drop_last means one batch less.
# caught by: test_loader_len
# reads: With drop_last it is rounded down: a short last batch does not count.
class DataLoader:
    def __len__(self) -> int:
        batches = int(np.ceil(len(self.dataset) / self.batch_size))
        return max(0, batches - 1) if self.drop_last else batches
