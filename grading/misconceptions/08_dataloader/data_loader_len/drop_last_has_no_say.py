# What a student believed: The number of batches does not depend on what is done with the last one.
# caught by: test_loader_len
# reads: With drop_last it is rounded down: a short last batch does not count.
class DataLoader:
    def __len__(self) -> int:
        return -(-len(self.dataset) // self.batch_size)
