# What the student believed: the first two that do not fit are enough for the message.
# breaks: "ValueError with each name and its size";
# Batch({"a": zeros(4), "b": zeros(4)}, {"y": zeros(3), "z": zeros(2)}): the message
# says a 4 and y 3, and nothing of b and z.
class Batch:
    def __init__(self, inputs, outputs):
        self.inputs = {
            name: np.asarray(array)
            for name, array in (
                inputs if isinstance(inputs, Mapping) else {"input": inputs}
            ).items()
        }
        self.outputs = {
            name: np.asarray(array)
            for name, array in (
                outputs if isinstance(outputs, Mapping) else {"output": outputs}
            ).items()
        }
        first = None
        for side in ("inputs", "outputs"):
            for name, array in getattr(self, side).items():
                label = f"{side}[{name!r}]"
                size = first_dimension(label, array)
                if first is None:
                    first = label, size
                elif size != first[1]:
                    raise ValueError(
                        "all arrays of a Batch need the same first dimension, got"
                        f" {first[0]} {first[1]}, {label} {size}"
                    )
        if first is None:
            raise ValueError("a Batch needs at least one array")

    def __len__(self) -> int:
        for array in [*self.inputs.values(), *self.outputs.values()]:
            return len(array)
