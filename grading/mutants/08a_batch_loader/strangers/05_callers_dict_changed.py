# What the student believed: a dict that is a dict already can be kept and put in order.
# breaks: what any user expects of an argument, and len == first dimension of *every*
# array; d = {"x": [1, 2, 3]}: after b = Batch(d, {}) d["x"] is no list any more, and
# d["y"] = [1] puts an unchecked list into b.inputs ("always dicts of NumPy arrays").
class Batch:
    def __init__(self, inputs, outputs):
        self.inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        self.outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        sizes = {}
        for side, arrays in (("inputs", self.inputs), ("outputs", self.outputs)):
            for name in arrays:
                arrays[name] = np.asarray(arrays[name])
                label = f"{side}[{name!r}]"
                sizes[label] = first_dimension(label, arrays[name])
        if not sizes:
            raise ValueError("a Batch needs at least one array, got no array at all")
        if len(set(sizes.values())) > 1:
            said = ", ".join(f"{label} {size}" for label, size in sizes.items())
            raise ValueError(f"all arrays of a Batch need the same first dimension, got {said}")

    def __len__(self) -> int:
        arrays = list(self.inputs.values()) + list(self.outputs.values())
        return len(arrays[0])
