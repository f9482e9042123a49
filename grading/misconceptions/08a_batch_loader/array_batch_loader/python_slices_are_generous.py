# What a student believed: A slice takes care of its own bounds.
# caught by: test_array_batch_loader
# reads: A range outside raises IndexError with its numbers.
class ArrayBatchLoader:
    def get_batch(self, start, end):
        return Batch(
            {name: array[start:end] for name, array in self.inputs.items()},
            {name: array[start:end] for name, array in self.outputs.items()},
        )
