# %% one_input_one_output: A loader has one array of inputs and one of outputs. (promise
# 1)
class ArrayBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        (image, images), (label, labels) = (
            next(iter(side.items())) for side in (self.inputs, self.outputs)
        )
        return Batch({image: images[start:end]}, {label: labels[start:end]})


# %% end_included: The record `end` belongs to the range. (promise 2)
class ArrayBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        return Batch(
            {name: array[start : end + 1] for name, array in self.inputs.items()},
            {name: array[start : end + 1] for name, array in self.outputs.items()},
        )


# %% list_of_indices: A range of records is a list of indices. (promise 3)
class ArrayBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        chosen = list(range(start, end))
        return Batch(
            {name: array[chosen] for name, array in self.inputs.items()},
            {name: array[chosen] for name, array in self.outputs.items()},
        )


# %% empty_ranges_are_mistakes: A batch has at least one record. (promise 4)
class ArrayBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        if start == end:
            raise IndexError(f"range {start}:{end} is empty")
        return Batch(
            {name: array[start:end] for name, array in self.inputs.items()},
            {name: array[start:end] for name, array in self.outputs.items()},
        )


# %% python_slices_are_generous: A slice takes care of its own bounds. (promise 5)
class ArrayBatchLoader:
    def get_batch(self, start, end):
        return Batch(
            {name: array[start:end] for name, array in self.inputs.items()},
            {name: array[start:end] for name, array in self.outputs.items()},
        )
