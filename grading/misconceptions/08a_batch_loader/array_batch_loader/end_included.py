# What a student believed: The record `end` belongs to the range.
# caught by: test_array_batch_loader
# reads: A batch holds records start to end - 1 of every array.
class ArrayBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        return Batch(
            {name: array[start : end + 1] for name, array in self.inputs.items()},
            {name: array[start : end + 1] for name, array in self.outputs.items()},
        )
