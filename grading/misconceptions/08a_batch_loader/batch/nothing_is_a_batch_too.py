# What a student believed: Where there is no array, no sizes differ.
# caught by: test_batch
# reads: One side may be {}, but no array at all raises ValueError.
class Batch:
    def __init__(self, inputs, outputs):
        inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        self.inputs = {name: np.asarray(array) for name, array in inputs.items()}
        self.outputs = {name: np.asarray(array) for name, array in outputs.items()}
        sizes = [
            (name, first_dimension(name, array))
            for side in (self.inputs, self.outputs)
            for name, array in side.items()
        ]
        if len({size for _, size in sizes}) > 1:
            raise ValueError(f"unequal first dimensions: {sizes}")
