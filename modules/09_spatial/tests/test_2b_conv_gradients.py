"""Laws of exercise 2b, gradients of Conv2d."""

import numpy as np
from stand_ins_09 import images_of, layers_and_windows, near

from tinytorch.laws import law


def gradients(tt, draw, which, sums):
    """Cases about one of the three, which `sums` (of einsum) computes of the windows,
    the weight and the gradient.
    """
    for conv, parts, call in layers_and_windows(tt, draw):
        weight = conv.weight.data
        gradient = images_of(draw, len(parts), len(weight), *parts.shape[2:4])
        operands = {"p": parts, "w": weight, "g": gradient}
        names, axes = sums.split()
        want = np.einsum(axes, *(operands[name] for name in names))
        got = lambda: conv.gradients(parts, gradient)[which]  # noqa: E731
        call = call.replace("outputs", "gradients").removesuffix(")")
        yield f"{call}, gradient)[{which}]", got, want, near(want)


@law(1, "over all kernels", look="gradient and weight: the axis of the kernels goes")
def test_windows_get_kernels(tt, draw):
    yield from gradients(tt, draw, 0, "gw noij,ocuv->ncijuv")


@law(2, "of the window times", look="gradient and parts: images and places go")
def test_kernels_get_windows(tt, draw):
    yield from gradients(tt, draw, 1, "gp noij,ncijuv->ocuv")


@law(3, "of its gradients", look="gradient.sum over all axes but that of the kernels")
def test_the_bias_gets_the_sum(tt, draw):
    yield from gradients(tt, draw, 2, "g noij->o")
