# What a student believed: Whatever goes wrong with the length, there are no batches.
# caught by: test_loader_len
# reads: An error from the dataset's len reaches the caller unchanged, without a retry.
class DataLoader:
    def __len__(self) -> int:
        try:
            full, rest = divmod(len(self.dataset), self.batch_size)
        except Exception:
            return 0
        return full if self.drop_last or not rest else full + 1
