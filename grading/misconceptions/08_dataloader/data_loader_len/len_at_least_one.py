# What a student believed: An epoch has at least one batch, also of an empty dataset.
# caught by: test_loader_len
# reads: len(loader) is N / batch_size, rounded up: a short last batch counts.
class DataLoader:
    def __len__(self) -> int:
        if self.drop_last:
            return len(self.dataset) // self.batch_size
        return max(1, -(-len(self.dataset) // self.batch_size))
