"""What several laws of this lab put in the place of another exercise."""


class PlainBatch:
    """Stands in for `Batch`: it makes arrays of lists, and checks nothing."""

    def __init__(self, inputs, outputs):
        import numpy as np

        self.inputs, self.outputs = (
            {key: np.asarray(array) for key, array in side.items()}
            if hasattr(side, "keys")
            else {name: np.asarray(side)}
            for name, side in (("input", inputs), ("output", outputs))
        )

    def __len__(self):
        return len([*self.inputs.values(), *self.outputs.values()][0])


def plain_range(start, end, length):
    """Stands in for `check_range`."""
    if min(start, end) < 0 or max(start, end) > length or end < start:
        raise IndexError(f"range {start}:{end} is outside 0:{length}")
