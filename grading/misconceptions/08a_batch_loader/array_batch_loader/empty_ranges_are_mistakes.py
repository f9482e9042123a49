# What a student believed: A batch has at least one record.
# caught by: test_array_batch_loader
# reads: An empty range gives a batch of 0 records.
class ArrayBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        if start == end:
            raise IndexError(f"range {start}:{end} is empty")
        return Batch(
            {name: array[start:end] for name, array in self.inputs.items()},
            {name: array[start:end] for name, array in self.outputs.items()},
        )
