# What the student believed: to compare sizes, all arrays may go into one dict by name.
# breaks: "Arrays of unequal first dimension: ValueError ... The same name may stand on
# both sides"; Batch({"image": np.zeros(4)}, {"image": np.zeros(3)}) is accepted.
class Batch:
    def __init__(self, inputs, outputs):
        def named(side, default):
            if not isinstance(side, Mapping):
                side = {default: side}
            return {name: np.asarray(array) for name, array in side.items()}

        self.inputs = named(inputs, "input")
        self.outputs = named(outputs, "output")
        sizes = {}
        for name, array in {**self.inputs, **self.outputs}.items():
            side = "outputs" if name in self.outputs else "inputs"
            label = f"{side}[{name!r}]"
            sizes[label] = first_dimension(label, array)
        if not sizes:
            raise ValueError("a Batch needs at least one array")
        if len(set(sizes.values())) > 1:
            said = ", ".join(f"{label} {size}" for label, size in sizes.items())
            raise ValueError(f"all arrays of a Batch need the same first dimension, got {said}")
        self._length = next(iter(sizes.values()))

    def __len__(self) -> int:
        return self._length
