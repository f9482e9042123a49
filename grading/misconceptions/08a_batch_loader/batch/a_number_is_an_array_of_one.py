# What a student believed: np.atleast_1d makes an array of anything.
# caught by: test_batch
# reads: A single number raises ValueError with its name.
class Batch:
    def __init__(self, inputs, outputs):
        inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        self.inputs = {name: np.atleast_1d(array) for name, array in inputs.items()}
        self.outputs = {name: np.atleast_1d(array) for name, array in outputs.items()}
        sizes = [
            (name, len(array))
            for side in (self.inputs, self.outputs)
            for name, array in side.items()
        ]
        if not sizes or len({size for _, size in sizes}) > 1:
            raise ValueError(f"one first dimension is needed, got {sizes}")
