# What the student believed: np.ascontiguousarray is np.asarray with a guarantee more.
# breaks: "Arrays are not copied."; x = np.zeros((4, 6)): Batch(x[:, ::2], {}) has a
# copy, np.shares_memory(batch.inputs["input"], x) is False (x[::2], x.T likewise).
class Batch:
    def __init__(self, inputs, outputs):
        if not isinstance(inputs, dict):
            inputs = {"input": inputs}
        if not isinstance(outputs, dict):
            outputs = {"output": outputs}

        def ready(array):
            array = np.asarray(array)
            return np.ascontiguousarray(array) if array.ndim else array

        self.inputs = {name: ready(array) for name, array in inputs.items()}
        self.outputs = {name: ready(array) for name, array in outputs.items()}
        sizes = {}
        for side, arrays in (("inputs", self.inputs), ("outputs", self.outputs)):
            for name, array in arrays.items():
                label = f"{side}[{name!r}]"
                sizes[label] = first_dimension(label, array)
        if not sizes:
            raise ValueError("a Batch needs at least one array, got none")
        if len(set(sizes.values())) != 1:
            said = ", ".join(f"{label} {size}" for label, size in sizes.items())
            raise ValueError(f"all arrays of a Batch need the same first dimension, got {said}")

    def __len__(self) -> int:
        return len(next(iter({**self.inputs, **self.outputs}.values())))
