# %% bare_arrays_stay_bare: Names are only needed where there are several arrays.
# (promises 1, 2)
class Batch:
    def __init__(self, inputs, outputs):
        if len(inputs) != len(outputs):
            raise ValueError(
                f"all arrays need the same first dimension, got input {len(inputs)}, output"
                f" {len(outputs)}"
            )
        self.inputs, self.outputs = inputs, outputs


# %% len_counts_the_arrays: The length of a batch is the length of its dict. (promise 3)
class Batch:
    def __len__(self) -> int:
        return len(self.inputs)


# %% copies_to_be_safe: A value object copies what it is given. (promises 4, 6)
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


# %% one_dict_for_both_sides: All arrays go into one dict to be compared, since names
# differ anyway. (promise 5)
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


# %% a_number_is_an_array_of_one: np.atleast_1d makes an array of anything. (promise 8)
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


# %% converts_the_callers_dict: The dict that I am given is mine. (promise 9)
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
