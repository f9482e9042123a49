# What a student believed: All arrays go into one dict to be compared, since names differ anyway.
# caught by: test_one_name_on_both_sides_is_compared
# reads: inputs and outputs may use the same name for two arrays.
class Batch:
    def __init__(self, inputs, outputs):
        inputs = inputs if isinstance(inputs, dict) else {"input": inputs}
        outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        self.inputs = {name: np.asarray(array) for name, array in inputs.items()}
        self.outputs = {name: np.asarray(array) for name, array in outputs.items()}
        everything = {**self.inputs, **self.outputs}
        if not everything:
            raise ValueError("no arrays")
        if len({len(array) for array in everything.values()}) > 1:
            raise ValueError(
                "unequal: "
                + ", ".join(f"{name} {len(array)}" for name, array in everything.items())
            )
