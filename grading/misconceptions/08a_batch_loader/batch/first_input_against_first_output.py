# What a student believed: One input and one output are compared; the rest will be right.
# caught by: test_a_short_array_is_found_wherever_it_stands
# reads: Arrays of unequal first dimension raise ValueError with each name and its size.
class Batch:
    def __init__(self, inputs, outputs):
        inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        self.inputs = {name: np.asarray(array) for name, array in inputs.items()}
        self.outputs = {name: np.asarray(array) for name, array in outputs.items()}
        (x, first), (y, second) = next(iter(self.inputs.items())), next(iter(self.outputs.items()))
        if len(first) != len(second):
            raise ValueError(f"unequal: {x} {len(first)}, {y} {len(second)}")
