# What a student believed: The dict that I am given is mine.
# caught by: test_batch
# reads: The caller's dicts are not changed.
class Batch:
    def __init__(self, inputs, outputs):
        self.inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        self.outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        sizes = []
        for side in (self.inputs, self.outputs):
            for name in side:
                side[name] = np.asarray(side[name])
                sizes.append((name, first_dimension(name, side[name])))
        if not sizes or len({size for _, size in sizes}) > 1:
            raise ValueError(f"one first dimension is needed, got {sizes}")
