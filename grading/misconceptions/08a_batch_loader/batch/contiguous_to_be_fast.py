# What a student believed: NumPy works best on contiguous arrays.
# caught by: test_batch
# reads: Arrays are neither copied nor converted.
class Batch:
    def __init__(self, inputs, outputs):
        inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        for name, array in [*inputs.items(), *outputs.items()]:
            first_dimension(name, np.asarray(array))
        self.inputs = {name: np.ascontiguousarray(array) for name, array in inputs.items()}
        self.outputs = {name: np.ascontiguousarray(array) for name, array in outputs.items()}
        sizes = [
            (name, len(array))
            for side in (self.inputs, self.outputs)
            for name, array in side.items()
        ]
        if not sizes or len({size for _, size in sizes}) > 1:
            raise ValueError(f"one first dimension is needed, got {sizes}")
