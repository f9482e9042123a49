# What a student believed: The length of a loader is the length of its dataset.
# caught by: test_loader_len
# reads: len(loader) rounds up, and down with drop_last.
class DataLoader:
    def __len__(self) -> int:
        return len(self.dataset)
