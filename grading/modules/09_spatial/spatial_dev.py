# %% [markdown]
"""
# 09 Spatial

`Flatten` makes a row of numbers of an image, and a `Linear` treats all of them alike:
shuffle the pixels of all images in the same way, and it learns as well as before. Here
you build two layers that know which pixels are neighbors, `Conv2d` and `MaxPool2d`, and
train a network of them with your own `DataLoader`.

**<!-- hours -->, <!-- points -->.** You need module 08: its `DataLoader` brings the
batches.

**How to work.** Every exercise has a number, such as 1a, and a stub with a `TODO`.
Replace the `raise NotImplementedError(...)` under it, run the cell, then run
`check("1a")` below it. It tells which of the exercise's numbered promises hold, and of
the first that does not: what was called, what came of it and where to look. Stuck?
`tito hint 09 1a` gives one hint at a time. Save, then `%test 1a` tests the notebook as
you saved it; `%test 1a --laws` shows how each promise is tested.

The classes are given. Where an exercise writes a method, `@add_to_class(Conv2d)` above
a function makes it a method of that class; `tito export 09` writes one whole class to
`tinytorch/core/spatial.py`. The grader tests the same promises with other data; each
one that holds earns its share of the exercise's points.
"""

# %% given given_setup
#| export
import math

import numpy as np

from tinytorch.core.autograd import record
from tinytorch.core.layers import Layer
from tinytorch.core.tensor import Tensor

# %% given given_test_tools
# Given: `add_to_class`, and `check`, which runs the laws of an exercise, one for each
# promise; you can read them in the folder tests. Nothing here is exported.
from tinytorch.classes import add_to_class
from tinytorch.laws import checker
from tinytorch.testing import demo, finish, progress

check = checker("09_spatial")

# %% [markdown]
"""
## 1 Windows

Images are an array (N, C, H, W): N images, C channels (1 for gray, 3 for color), H rows
of W pixels. A **window** is a square part of an image. The **stride** is the number of
pixels from one window to the next. Both layers below read images as windows, and send
gradients back through them. You write the two directions first.
"""

# %% [markdown]
"""
### 1a windows: an image as its windows
<!-- points -->, about 20 minutes

**Goal.** Cut each channel of each image into all its windows.

**Given.** `np.lib.stride_tricks.sliding_window_view(images, (2, 2), axis=(2, 3))` has
every window of 2 x 2, whatever the stride.

**Contract.** `windows(images, size, stride=1)` -> array (N, C, rows, columns, size,
size), of the dtype of the images.

1. Entry [n, c, i, j] is the window of image n, channel c, whose first pixel is
   [i * stride, j * stride].
2. Every window that fits as a whole is there, and no other.
3. Where not a single window fits, it is a `ValueError` that says the size, the height
   and the width.

**By hand.** An image with the rows 1 2 3, 4 5 6, 7 8 9 has four windows of 2 x 2; the
first is 1 2, 4 5. With stride 2 it is the only one.
"""


# %% stub windows
#| export
def windows(images: np.ndarray, size: int, stride: int = 1) -> np.ndarray:
    """Return the windows of images (N, C, H, W) as (N, C, rows, columns, size, size).

    Raises:
        ValueError: no window of size x size fits into an image.
    """
    # TODO: five lines. Refuse first; then take every stride-th window.
    ### BEGIN SOLUTION
    height, width = images.shape[2:]
    if size > min(height, width):
        raise ValueError(f"no window of {size} x {size} fits into {height} x {width}")
    every = np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(2, 3))
    return every[:, :, ::stride, ::stride]
    ### END SOLUTION


# %% law, 10 points
check("1a")

# %% [markdown]
"""
### 1b add_windows: windows back into an image
<!-- points -->, about 30 minutes

**Goal.** Go back: put windows where they came from, and add where they overlap. A pixel
that several windows read gets a gradient from each; this function adds them up.

**Contract.** `add_windows(parts, shape, stride=1)` -> array of that shape, which is
(N, C, H, W), and of the dtype of `parts`, which are windows as 1a makes them.

1. Each pixel is the sum of its entries in all windows that hold it.
2. A pixel that no window holds is 0.

**By hand.** Four windows of 2 x 2 that hold only ones, added into (1, 1, 3, 3): the
rows 1 2 1, 2 4 2, 1 2 1.
"""


# %% stub add_windows
#| export
def add_windows(parts: np.ndarray, shape: tuple, stride: int = 1) -> np.ndarray:
    """Return the sum of windows (N, C, rows, columns, size, size), each at its place in
    an array of `shape`, (N, C, H, W).
    """
    # TODO: about six lines. One loop over the size x size places in a window is enough.
    ### BEGIN SOLUTION
    total = np.zeros(shape, parts.dtype)
    rows, columns, size = parts.shape[2:5]
    for u, v in np.ndindex(size, size):
        down = slice(u, u + rows * stride, stride)
        right = slice(v, v + columns * stride, stride)
        total[:, :, down, right] += parts[..., u, v]
    return total
    ### END SOLUTION


# %% law, 12 points
check("1b")

# %%
progress("Windows")

# %% [markdown]
"""
## 2 Convolution

A **kernel** is a window of weights. A convolution multiplies it with each window of the
image and adds up the products: where the window looks like the kernel, the sum is
large. The same weights serve every place, so a `Conv2d` of 16 kernels of 3 x 3 has 160
parameters, whatever the size of the image.

`Conv2d` below is given, as far as it is the same for each layer: it draws the weights,
puts zeros around the image (`padding`), calls your `windows`, and records for
`backward` what your methods return.
"""


# %% given conv2d_class
#| export
class Conv2d(Layer):
    """Convolution of images (N, in_channels, H, W) -> (N, out_channels, rows, columns).

    The weight is (out_channels, in_channels, size, size). It and the bias are float32,
    drawn uniformly from -b to b, b = 1 / sqrt(in_channels * size**2), as in PyTorch.
    """

    def __init__(
        self, in_channels, out_channels, size, stride=1, padding=0, *, seed=None
    ):
        self.size, self.stride, self.padding = size, stride, padding
        source = np.random.default_rng(seed)
        bound = 1 / math.sqrt(in_channels * size**2)
        weight = source.uniform(-bound, bound, (out_channels, in_channels, size, size))
        bias = source.uniform(-bound, bound, out_channels)
        self.weight = Tensor(weight.astype(np.float32), requires_grad=True)
        self.bias = Tensor(bias.astype(np.float32), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        around = (self.padding, self.padding)
        x = x.pad([(0, 0), (0, 0), around, around])
        parts = windows(x.data, self.size, self.stride)
        last = [None, None]  # a gradient, and what `gradients` made of it

        def pull(number, gradient):
            if last[0] is not gradient:
                last[:] = gradient, self.gradients(parts, gradient)
            return last[1][number]

        return record(
            Tensor(self.outputs(parts)),
            (x, lambda g: add_windows(pull(0, g), x.shape, self.stride)),
            (self.weight, lambda g: pull(1, g)),
            (self.bias, lambda g: pull(2, g)),
        )


# %% [markdown]
"""
### 2a Conv2d.outputs: windows times kernels
<!-- points -->, about 25 minutes

**Goal.** Compute what the layer returns, from the windows of its images.

**Given.** `self.weight.data`, (out_channels, in_channels, size, size), and
`self.bias.data`, (out_channels,).

**Contract.** `conv.outputs(parts)` -> float32 array (N, out_channels, rows, columns),
for windows (N, in_channels, rows, columns, size, size) in float32.

1. Entry [n, o, i, j] is the sum of the products of window [n, :, i, j] and kernel
   weight[o], not mirrored, plus what promise 2 adds.
2. Each output of kernel o has bias[o] added, once.

**By hand.** The window 1 2, 3 4 and the kernel 1 0, 0 10 make 1 * 1 + 4 * 10 = 41; with
a bias of 2 it is 43.
"""


# %% stub conv_outputs
#| export
@add_to_class(Conv2d)
def outputs(self, parts: np.ndarray) -> np.ndarray:
    """Return (N, out_channels, rows, columns) from the windows of the images."""
    # TODO: two or three lines. np.einsum or np.tensordot multiplies and adds up.
    ### BEGIN SOLUTION
    axes = (1, 4, 5), (1, 2, 3)  # channels, rows and columns of a window
    products = np.tensordot(parts, self.weight.data, axes)
    return (products + self.bias.data).transpose(0, 3, 1, 2)
    ### END SOLUTION


# %% law, 12 points
check("2a")

# %% [markdown]
"""
### 2b Conv2d.gradients: three gradients
<!-- points -->, about 35 minutes

**Goal.** Say how the loss changes with the windows, the weight and the bias. `gradient`
is d(loss)/d(outputs), (N, out_channels, rows, columns).

**Given.** outputs = sum of parts * weight, plus bias. So each product of a pixel and a
weight sends the output's gradient, times the weight, to the pixel, and the output's
gradient, times the pixel, to the weight.

**Contract.** `conv.gradients(parts, gradient)` -> three float32 arrays, of the shapes
of `parts`, the weight and the bias.

1. The first has for each window the sum over all kernels of weight[o] times the
   gradient of output o there.
2. The second has for each kernel the sum over all images and places of the window times
   its gradient.
3. The third has for each kernel the sum of its gradients over all images and places.

**By hand.** One window 1 2, 3 4, the kernel 1 0, 0 10 and the gradient 5 give
5 0, 0 50, then 5 10, 15 20, then 5.
"""


# %% stub conv_gradients
#| export
@add_to_class(Conv2d)
def gradients(self, parts: np.ndarray, gradient: np.ndarray) -> tuple:
    """Return d(loss)/d(parts), d(loss)/d(weight) and d(loss)/d(bias)."""
    # TODO: three or four lines, one for each gradient.
    ### BEGIN SOLUTION
    of_parts = np.tensordot(gradient, self.weight.data, (1, 0))
    of_weight = np.tensordot(gradient, parts, ((0, 2, 3), (0, 2, 3)))
    of_bias = gradient.sum(axis=(0, 2, 3))
    return of_parts.transpose(0, 3, 1, 2, 4, 5), of_weight, of_bias
    ### END SOLUTION


# %% law, 12 points
check("2b")

# %%
progress("Convolution")

# %% [markdown]
"""
The next cell does not learn its two kernels, but sets them: one has negative weights on
the left and positive ones on the right, the other is the same, turned.

**Guess.** Where on a handwritten digit is the output of the first kernel far from 0?
Where is that of the second?
"""

# %% demo demo_edges
import matplotlib.pyplot as plt
import numpy as np

from tinytorch.core.tensor import Tensor
from tinytorch.datasets import load_digits

with demo("two kernels, written by hand"):
    digits, _ = load_digits("test")
    edge = Conv2d(1, 2, 3, padding=1)
    kernel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    edge.weight.data[:, 0] = kernel, kernel.T
    edge.bias.data[:] = 0
    image = digits[2:3, None].astype(np.float32)
    across, down = edge(Tensor(image)).data[0]
    figure, axes = plt.subplots(3, 1, figsize=(3.8, 9), layout="constrained")
    agree = np.corrcoef(abs(across).ravel(), abs(down).ravel())[0, 1]
    panels = {
        "A digit": image[0, 0],
        "first kernel": across,
        f"second kernel: other edges (correlation {agree:.2f})": down,
    }
    for ax, (title, values) in zip(axes, panels.items(), strict=True):
        most = abs(values).max()
        shown = ax.imshow(values, cmap="coolwarm", vmin=-most, vmax=most)
        ax.set_title(title, fontsize=10)
        ax.set(xlabel="column (pixel)", ylabel="row (pixel)")
        figure.colorbar(shown, ax=ax, label="value")

# %% [markdown]
"""
**What you see.** The first kernel subtracts the pixels on the left from those on the
right, so its output is far from 0 at edges that go from top to bottom: red where the
stroke begins, blue where it ends. The second finds the edges that go from left to
right. Where all pixels are equal, the products add up to 0.
"""

# %% [markdown]
"""
## 3 Pooling

Whether a stroke is in one pixel or the next should not matter much. **Pooling** keeps
one number of each window, here the largest, so that an image gets smaller and a small
shift changes less. `MaxPool2d(2)` is given in the same way as `Conv2d`; its windows do
not overlap, because the stride is the size.
"""


# %% given max_pool2d_class
#| export
class MaxPool2d(Layer):
    """The largest entry of each window: images (N, C, H, W) -> (N, C, rows, columns).
    The stride is the size unless you pass another one.
    """

    def __init__(self, size, stride=None):
        self.size, self.stride = size, stride or size

    def forward(self, x: Tensor) -> Tensor:
        parts = windows(x.data, self.size, self.stride)

        def pull(gradient):
            return add_windows(self.gradients(parts, gradient), x.shape, self.stride)

        return record(Tensor(self.outputs(parts)), (x, pull))


# %% [markdown]
"""
### 3a MaxPool2d.outputs: the largest of each window
<!-- points -->, about 10 minutes

**Goal.** Keep one number of each window.

**Contract.** `pool.outputs(parts)` -> array (N, C, rows, columns), of the dtype of the
windows (N, C, rows, columns, size, size).

1. Entry [n, c, i, j] is the largest entry of window [n, c, i, j], whatever its sign.

**By hand.** The window -3 -1, -2 -4 gives -1.
"""


# %% stub pool_outputs
#| export
@add_to_class(MaxPool2d)
def outputs(self, parts: np.ndarray) -> np.ndarray:
    """Return the largest entry of each window, (N, C, rows, columns)."""
    # TODO: one line.
    ### BEGIN SOLUTION
    return parts.max(axis=(4, 5))
    ### END SOLUTION


# %% law, 4 points
check("3a")

# %% [markdown]
"""
### 3b MaxPool2d.gradients: who gets the gradient
<!-- points -->, about 20 minutes

**Goal.** Send the gradient of each window to the entry that was kept. In a window with
equal largest entries, none of them is special.

**Contract.** `pool.gradients(parts, gradient)` -> array like `parts`; `gradient` is
(N, C, rows, columns).

1. In each window, the single largest entry gets the window's gradient, and the others
   get 0.
2. Equal largest entries share the gradient of their window evenly.

**By hand.** The window 1 4, 4 2 and the gradient 6: 0 3, 3 0.
"""


# %% stub pool_gradients
#| export
@add_to_class(MaxPool2d)
def gradients(self, parts: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Return d(loss)/d(parts), an array like `parts`."""
    # TODO: about three lines. Compare each window with its largest entry.
    ### BEGIN SOLUTION
    largest = parts == parts.max(axis=(4, 5), keepdims=True)
    shares = gradient[..., None, None] / largest.sum(axis=(4, 5), keepdims=True)
    return (largest * shares).astype(parts.dtype)
    ### END SOLUTION


# %% law, 10 points
check("3b")

# %%
progress("Pooling")

# %% [markdown]
"""
## 4 A network that sees neighbors

You write nothing new here. The next cell trains two networks on the handwritten digits,
with your `DataLoader`: one of two `Linear` layers, and one of your two layers and a
`Linear`. Both have about as many parameters. Then both see the test digits twice: as
they are, and moved to the right by one pixel.

**Guess.** How many of 100 test digits does each network recognize? And how many of
those that are moved by a pixel?
"""

# %% demo demo_train
from tinytorch.core.activations import ReLU
from tinytorch.core.dataloader import DataLoader, TensorDataset
from tinytorch.core.layers import Flatten, Linear, Sequential
from tinytorch.core.losses import CrossEntropyLoss
from tinytorch.core.optimizers import Adam
from tinytorch.core.training import evaluate, fit

with demo("a network that sees neighbors"):

    def batches(split, moved=0):
        images, labels = load_digits(split)
        images = np.pad(images, [(0, 0), (0, 0), (moved, 0)])[:, None, :, :8]
        data = TensorDataset(Tensor(np.float32(images) / 16), Tensor(labels))
        return DataLoader(data, batch_size=32, shuffle=split == "train", seed=0)

    networks = {
        "two Linear": [
            Flatten(),
            Linear(64, 75, seed=0),
            ReLU(),
            Linear(75, 10, seed=1),
        ],
        "two Conv2d": [
            *(Conv2d(1, 8, 3, padding=1, seed=0), ReLU()),
            *(Conv2d(8, 24, 3, padding=1, seed=1), ReLU(), MaxPool2d(2)),
            *(Flatten(), Linear(384, 10, seed=2)),
        ],
    }
    reached = {}
    for name, layers in networks.items():
        network = Sequential(*layers)
        optimizer = Adam(network.parameters(), lr=0.005)
        fit(network, batches("train"), CrossEntropyLoss(), optimizer, epochs=12)
        shares = [evaluate(network, batches("test", moved)) for moved in (0, 1)]
        reached[name] = [100 * share for share in shares]
        size = sum(parameter.size for parameter in network.parameters())
        print(
            f"{name}: {size:,} parameters, {shares[0]:.1%} of the test digits,"
            f" {shares[1]:.1%} when they are moved by a pixel"
        )
    figure, ax = plt.subplots(figsize=(4.5, 3.4), layout="constrained")
    for number, (name, percent) in enumerate(reached.items()):
        bars = ax.bar(np.arange(2) + 0.4 * number - 0.2, percent, 0.38, label=name)
        ax.bar_label(bars, fmt="%.0f")
    ax.set_xticks([0, 1], ["as they are", "moved by 1 pixel"])
    ax.set(xlabel="test digits", ylabel="recognized (%)", ylim=(0, 125))
    linear, conv = (percent[1] for percent in reached.values())
    ax.set_title(f"Moved by a pixel: {conv:.0f}% against {linear:.0f}%", fontsize=11)
    ax.legend(ncols=2, loc="upper center")

# %% [markdown]
"""
**What you see.** On the digits as they are, both networks make few errors. When the
digits move by a pixel, the network of `Linear` layers fails far more often: each of its
weights belongs to one pixel. A kernel knows a stroke wherever it is, and pooling
forgives half of the step. The last `Linear` still counts places, so a shift costs
`Conv2d` something, too.
"""

# %% given given_finish
finish()
