"""Laws of exercise 2a, outputs of Conv2d."""

import numpy as np
from stand_ins_09 import layers_and_windows, near

from tinytorch.laws import law


@law(1, "not mirrored", look="products over channels, rows and columns of a window")
def test_an_output_is_a_window_times_a_kernel(tt, draw):
    for conv, parts, call in layers_and_windows(tt, draw):
        want = np.einsum("ncijuv,ocuv->noij", parts, conv.weight.data)
        # the difference of two outputs has no bias
        got = lambda: conv.outputs(parts) - conv.outputs(0 * parts)  # noqa: E731
        yield f"{call} without the bias", got, want, near(want)


@law(2, "has bias[o] added", look="self.bias.data belongs to the axis of the kernels")
def test_the_bias_is_added_once(tt, draw):
    for conv, parts, call in layers_and_windows(tt, draw):
        bias = conv.bias.data[:, None, None]
        want = np.zeros((len(parts), 1, *parts.shape[2:4]), np.float32) + bias
        got = lambda: conv.outputs(0 * parts)  # noqa: E731
        yield call.replace("(parts", "(0 * parts"), got, want, near(want)
