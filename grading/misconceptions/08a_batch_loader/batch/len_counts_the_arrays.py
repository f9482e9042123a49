# What a student believed: The length of a batch is the length of its dict.
# caught by: test_batch
# reads: The length of a batch is its number of records.
class Batch:
    def __len__(self) -> int:
        return len(self.inputs)
