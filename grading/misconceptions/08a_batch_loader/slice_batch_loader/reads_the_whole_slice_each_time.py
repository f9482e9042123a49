# What a student believed: A part of the slice is cut from the slice.
# caught by: test_each_call_asks_once_for_its_range
# reads: Each call asks the loader once, for the range it needs and for nothing else.
class SliceBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        whole = self.loader.get_batch(self.start, self.start + self.length)
        return Batch(
            {name: array[start:end] for name, array in whole.inputs.items()},
            {name: array[start:end] for name, array in whole.outputs.items()},
        )
