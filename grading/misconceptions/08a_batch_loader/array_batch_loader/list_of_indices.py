# What a student believed: A range of records is a list of indices.
# caught by: test_array_batch_loader
# reads: The arrays of a batch are views of the loader's arrays: nothing is copied.
class ArrayBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        chosen = list(range(start, end))
        return Batch(
            {name: array[chosen] for name, array in self.inputs.items()},
            {name: array[chosen] for name, array in self.outputs.items()},
        )
