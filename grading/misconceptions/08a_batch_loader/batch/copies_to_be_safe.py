# What a student believed: A value object copies what it is given.
# caught by: test_batch
# reads: Arrays are neither copied nor converted.
class Batch:
    def __init__(self, inputs, outputs):
        inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        self.inputs = {name: np.array(array) for name, array in inputs.items()}
        self.outputs = {name: np.array(array) for name, array in outputs.items()}
        sizes = {
            name: len(array) for side in (self.inputs, self.outputs) for name, array in side.items()
        }
        if (
            not sizes
            or len({len(a) for side in (self.inputs, self.outputs) for a in side.values()}) > 1
        ):
            raise ValueError(f"unequal first dimensions: {sizes}")
