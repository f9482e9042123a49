# What a student believed: Names are only needed where there are several arrays.
# caught by: test_a_bare_array_has_a_name
# reads: A bare array is called "input" or "output".
class Batch:
    def __init__(self, inputs, outputs):
        if len(inputs) != len(outputs):
            raise ValueError(
                f"all arrays need the same first dimension, got input {len(inputs)}, output"
                f" {len(outputs)}"
            )
        self.inputs, self.outputs = inputs, outputs
