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


def raised_by(function):
    """Type and message of the error that `function()` raises."""
    try:
        function()
    except NotImplementedError:  # the exercise is still to be written
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any may be asked for
        return kind_of(error)
    return "no error"


def kind_of(error):
    """Type and message of an error, as one text."""
    return f"{type(error).__name__}: {error}"
