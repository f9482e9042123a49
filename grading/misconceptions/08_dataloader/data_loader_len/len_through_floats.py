# What a student believed: np.ceil and np.floor round a quotient up and down.
# caught by: test_loader_len
# reads: len(loader) is exact for any N, such as 2**60 + 1: it needs no float and no loop over
# samples.
class DataLoader:
    def __len__(self) -> int:
        rounded = np.floor if self.drop_last else np.ceil
        return int(rounded(len(self.dataset) / self.batch_size))
