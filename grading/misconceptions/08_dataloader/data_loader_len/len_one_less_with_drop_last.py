# What a student believed: drop_last means one batch less.
# caught by: test_loader_len
# reads: `len(loader)` is N / batch_size, rounded up: a short last batch counts.
class DataLoader:
    def __len__(self) -> int:
        batches = int(np.ceil(len(self.dataset) / self.batch_size))
        return max(0, batches - 1) if self.drop_last else batches
