# What a student believed: What has a length is array enough.
# caught by: test_batch
# reads: inputs and outputs are dicts of NumPy arrays; the names keep their order.
class Batch:
    def __init__(self, inputs, outputs):
        self.inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        self.outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        sizes = [
            (name, first_dimension(name, np.asarray(array)))
            for side in (self.inputs, self.outputs)
            for name, array in side.items()
        ]
        if not sizes or len({size for _, size in sizes}) > 1:
            raise ValueError(f"one first dimension is needed, got {sizes}")
