# What a student believed: The length of a batch is the length of its dict.
# caught by: test_batch
# reads: len(batch) is the number of records; it may be 0.
class Batch:
    def __len__(self) -> int:
        return len(self.inputs)
