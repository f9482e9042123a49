"""A module of two exercises that replace the sample of `tito dev new`. The sample has laws; this
module has contract tests, public and hidden, as an author writes them who wants tests that students
never see.

It builds on the module that exports tinytorch.core.dataloader.
"""

from __future__ import annotations

import re
import shutil

from tito.workspace import Module, read_module


def head(grade_id: str, *, points: int = 0, kind: str = "") -> str:
    """The first line of a cell with nbgrader's metadata; `kind` is "solution", "grade" or
    "task".
    """
    flags = {name: str(name == kind).lower() for name in ("solution", "grade", "task")}
    parts = [f'"grade_id": "{grade_id}"', *(f'"{name}": {flag}' for name, flag in flags.items())]
    parts += [f'"locked": {str(kind != "solution").lower()}', '"schema_version": 3']
    parts += [f'"points": {points}'] if points else []
    markdown = "[markdown] " if kind == "task" else ""
    return f"# %% {markdown}nbgrader={{{', '.join(parts)}}}"


SOURCE = f'''# %% [markdown]
"""
# 09 Spatial

A pixel means something only beside its neighbors. Here you slide a kernel over images,
then make them smaller, batch by batch.

**<!-- hours -->, <!-- points -->.** You need module 08: its `DataLoader` brings the
batches.
"""

{head("given_setup")}
#| export
import numpy as np

from tinytorch.core.dataloader import DataLoader, TensorDataset
from tinytorch.core.tensor import Tensor

{head("given_test_tools")}
from tinytorch.testing import check, expect, expect_raises, finish

# %% [markdown]
"""
## 1 A pixel and its neighbors
"""

# %% [markdown]
"""
### 1a convolve: a kernel over an image
<!-- points -->, about 25 minutes

**Contract.** `convolve(image, kernel)` -> float32 array.

1. Only whole windows count.
2. Entry [i, j] is the kernel times the window at [i, j], not flipped.
3. A kernel that is larger than the image is a `ValueError` that says both shapes.
"""


{head("convolve", kind="solution")}
#| export
def convolve(image, kernel) -> np.ndarray:
    """Return the valid cross-correlation of a (H, W) image with a (h, w) kernel."""
    # TODO: four lines.
    ### BEGIN SOLUTION
    if kernel.shape[0] > image.shape[0] or kernel.shape[1] > image.shape[1]:
        raise ValueError(f"a kernel of {{kernel.shape}} does not fit {{image.shape}}")
    windows = np.lib.stride_tricks.sliding_window_view(image, kernel.shape)
    return np.einsum("ijkl,kl->ij", windows, kernel).astype(np.float32)
    ### END SOLUTION


{head("test_convolve", points=4, kind="grade")}
def test_convolve():
    """A kernel over an image"""
    image = np.arange(12.0).reshape(3, 4)
    got = convolve(image, np.array([[1.0, 0.0], [0.0, 2.0]]))
    expect(
        got.shape == (2, 3),
        "Only whole windows count.",
        call="convolve of 3 x 4 with 2 x 2",
        got=got.shape,
        want=(2, 3),
    )
    expect(
        got.tolist() == [[10, 13, 16], [22, 25, 28]],
        "Entry [i, j] is the kernel times the window at [i, j], not flipped.",
        call="convolve(arange(12) as 3 x 4, [[1, 0], [0, 2]])",
        got=got,
    )
    expect_raises(
        ValueError,
        lambda: convolve(image, np.zeros((4, 1))),
        "A kernel that is larger than the image is a ValueError that says both shapes.",
        says=["(4, 1)", "(3, 4)"],
    )


check(test_convolve, hint="09 convolve")

# %% [markdown]
"""
### 1b pool_batches: smaller images
<!-- points -->, about 20 minutes

**Contract.** `pool_batches(loader, size)` yields Tensors, from batches of (N, H, W)
images.

1. A batch of the loader gives one batch of N images.
2. Rows and columns that fill no block of `size` are left out.
3. Each entry is the largest of its block.
"""


{head("pool_batches", kind="solution")}
#| export
def pool_batches(loader, size: int):
    """Yield the images of each batch of a loader, made smaller by `size` both ways."""
    # TODO: five lines.
    ### BEGIN SOLUTION
    for (images,) in loader:
        count, height, width = images.shape
        rows, columns = height // size, width // size
        cut = images.data[:, : rows * size, : columns * size]
        blocks = cut.reshape(count, rows, size, columns, size)
        yield Tensor(blocks.max(axis=(2, 4)))
    ### END SOLUTION


{head("test_pool_batches", points=4, kind="grade")}
def test_pool_batches():
    """Smaller images, batch by batch"""
    images = np.arange(75.0).reshape(3, 5, 5)
    loader = DataLoader(TensorDataset(Tensor(images)), batch_size=2)
    got = [batch.data for batch in pool_batches(loader, 2)]
    expect(
        [batch.shape for batch in got] == [(2, 2, 2), (1, 2, 2)],
        "Rows and columns that fill no block of size are left out.",
        call="pool_batches of 3 images of 5 x 5 in batches of 2",
        got=[batch.shape for batch in got],
    )
    expect(
        got[0][0].tolist() == [[6, 8], [16, 18]],
        "Each entry is the largest of its block.",
        call="pool_batches, first image",
        got=got[0][0],
    )


check(test_pool_batches, hint="09 pool_batches")

{head("why_pool", points=2, kind="task")}
"""
### 1c Why pool?
<!-- points -->, about 10 minutes

What does pooling save, and what does it lose?

### BEGIN MARK SCHEME
1 point for numbers or memory saved, 1 point for the place within a block.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

{head("given_finish")}
finish()
'''

WRONG = {
    "convolve": """\
# %% kernel_flipped: A convolution in a network flips its kernel, as in signal
# processing. (promise 2)
def convolve(image, kernel):
    if kernel.shape[0] > image.shape[0] or kernel.shape[1] > image.shape[1]:
        raise ValueError(f"{kernel.shape} over {image.shape}")
    views = np.lib.stride_tricks.sliding_window_view(image, kernel.shape)
    return np.einsum("ijkl,kl->ij", views, kernel[::-1, ::-1]).astype(np.float32)


# %% same_size: The result is as large as the image. (promise 1)
def convolve(image, kernel):
    height, width = kernel.shape
    padded = np.pad(image, ((0, height - 1), (0, width - 1)))
    views = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape)
    return np.einsum("ijkl,kl->ij", views, kernel).astype(np.float32)


# %% kernel_cut_to_the_image: A kernel that is too large is cut to what fits. (promise
# 3)
def convolve(image, kernel):
    cut = kernel[: image.shape[0], : image.shape[1]]
    views = np.lib.stride_tricks.sliding_window_view(image, cut.shape)
    return np.einsum("ijkl,kl->ij", views, cut).astype(np.float32)
""",
    "pool_batches": """\
# %% last_block_may_be_small: What is left at the border makes a smaller block. (promise
# 2)
def pool_batches(loader, size):
    for (images,) in loader:
        n, height, width = images.shape
        yield Tensor(
            np.stack(
                [
                    images.data[:, i : i + size, j : j + size].max(axis=(1, 2))
                    for i in range(0, height, size)
                    for j in range(0, width, size)
                ],
                axis=1,
            ).reshape(n, -(-height // size), -(-width // size))
        )


# %% mean: Pooling averages. (promise 3)
def pool_batches(loader, size):
    for (images,) in loader:
        n, h, w = (side // size for side in images.shape)
        kept = images.data[:, : h * size, : w * size].reshape(-1, h, size, w, size)
        yield Tensor(kept.mean(axis=(2, 4)))


# %% one_image_at_a_time: A batch is a list, so each image comes out by itself.
# (promises 2, 1)
def pool_batches(loader, size):
    for (images,) in loader:
        for image in images.data:
            h, w = image.shape[0] // size, image.shape[1] // size
            kept = image[: h * size, : w * size].reshape(1, h, size, w, size)
            yield Tensor(kept.max(axis=(2, 4)))
""",
}
RIGHT = {
    "loops": """\
# One window at a time.
def convolve(image, kernel):
    (rows, columns), (h, w) = image.shape, kernel.shape
    if h > rows or w > columns:
        raise ValueError(f"{kernel.shape} is larger than {image.shape}")
    out = np.empty((rows - h + 1, columns - w + 1), np.float32)
    for i, j in np.ndindex(out.shape):
        out[i, j] = (image[i : i + h, j : j + w] * kernel).sum()
    return out
""",
    "shifted_images": """\
# The image, shifted once for each entry of the kernel, and added up.
def convolve(image, kernel):
    rows, columns = (a - b + 1 for a, b in zip(image.shape, kernel.shape))
    if min(rows, columns) < 1:
        raise ValueError(f"no window of {kernel.shape} lies in {image.shape}")
    shifted = [image[i : i + rows, j : j + columns] for i, j in np.ndindex(kernel.shape)]
    return sum(a * b for a, b in zip(shifted, kernel.flat)).astype(np.float32)
""",
    "strided_maxima": """\
# The maximum of the images that begin at each place of a block.
def pool_batches(loader, size):
    for (images,) in loader:
        n, h, w = images.shape
        kept = images.data[:, : h - h % size, : w - w % size]
        places = [kept[:, i::size, j::size] for i in range(size) for j in range(size)]
        yield Tensor(np.maximum.reduce(places))
""",
}
PUBLIC = '''"""What the exported package promises."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

KERNEL = "Entry [i, j] is the kernel times the window at [i, j], not flipped."


@pytest.mark.contract("test_convolve")
def test_a_kernel_is_not_flipped(tt):
    got = np.asarray(tt.convolve(np.arange(6.0).reshape(2, 3), np.array([[1.0, -1.0]])))
    expect(got.shape == (2, 2), "Only whole windows count.", got=got.shape, want=(2, 2))
    expect(np.all(got == -1), KERNEL, got=got)


@pytest.mark.contract("test_convolve")
def test_a_kernel_that_is_too_large_is_refused(tt):
    got = np.asarray(tt.convolve(np.full((2, 5), 2.0), np.full((2, 5), 3.0)))
    expect(got.tolist() == [[60]], KERNEL, got=got)
    expect_raises(
        ValueError,
        lambda: tt.convolve(np.zeros((2, 5)), np.zeros((3, 1))),
        "A kernel that is larger than the image is a ValueError that says both shapes.",
        says=["(3, 1)", "(2, 5)"],
    )


@pytest.mark.contract("test_pool_batches")
def test_every_batch_keeps_its_images(tt):
    batches = [[tt.Tensor(np.ones((n, 4, 4)))] for n in (3, 2)]
    got = [np.asarray(batch.data).shape for batch in tt.pool_batches(batches, 2)]
    want = [(3, 2, 2), (2, 2, 2)]
    expect(
        got == want,
        "A batch of the loader gives one batch of N images.",
        got=got,
        want=want,
    )
'''
HIDDEN = '''"""Laws on drawn inputs."""

import numpy as np
import pytest

from tinytorch.testing import expect


@pytest.mark.contract("test_convolve")
def test_a_sum_of_kernels_gives_the_sum_of_the_results(tt, draw):
    image, one, other = (draw.normal(size=size) for size in ((6, 5), (2, 3), (2, 3)))
    both = np.asarray(tt.convolve(image, one + other))
    apart = np.asarray(tt.convolve(image, one)) + np.asarray(tt.convolve(image, other))
    expect(both.shape == (5, 3) and both.any(), "Only whole windows count.", got=both)
    expect(
        np.allclose(both, apart, atol=1e-4),
        "Entry [i, j] is the kernel times the window at [i, j], not flipped.",
        look="is the result linear in the kernel?",
    )


@pytest.mark.contract("test_pool_batches")
def test_pooling_keeps_the_largest_of_each_block(tt, draw):
    images = draw.normal(size=(2, 5, 4))
    (got,) = [np.asarray(batch.data) for batch in tt.pool_batches([[tt.Tensor(images)]], 2)]
    expect(
        got.shape == (2, 2, 2),
        "Rows and columns that fill no block of size are left out.",
        got=got.shape,
    )
    for (n, i, j), entry in np.ndenumerate(got):
        block = images[n, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        expect(np.isclose(entry, block.max()), "Each entry is the largest of its block.", got=got)
'''
ABOUT = """# 09 Spatial

Neighboring pixels belong together; a kernel looks at them together.

```python
>>> import numpy as np
>>> from tinytorch.core.spatial import convolve
>>> convolve(np.arange(9.0).reshape(3, 3), np.ones((2, 2)))
array([[ 8., 12.],
       [20., 24.]], dtype=float32)

```

## Common errors

The kernel lies in the image as a whole; turn a kernel around before you slide it, if that is meant.
"""
HINTS = """convolve = ["Look at one window.", "sliding_window_view gives all of them.", "einsum."]
pool_batches = ["Cut into blocks.", "reshape gives a block two axes.", "max(axis=(2, 4))."]
"""


def fill(module: Module, *, stands_on: str) -> Module:
    """Replace the sample of `tito dev new` by the two exercises, under the module's own number and
    name, in a module that builds on the module in the folder `stands_on`.
    """
    grading = module.root / "grading"
    for kind in ("misconceptions", "alternatives"):
        shutil.rmtree(grading / kind / module.name)
    shutil.rmtree(module.tests)
    texts = {
        grading / "source" / module.name / f"{module.stem}.py": SOURCE,
        grading / "tests" / module.name / f"test_{module.short}_hidden.py": HIDDEN,
        module.tests / f"test_{module.short}.py": PUBLIC,
        module.folder / "ABOUT.md": ABOUT,
    }
    for name, text in WRONG.items():
        texts[grading / "misconceptions" / module.name / f"{name}.py"] = text
    for name, text in RIGHT.items():
        texts[grading / "alternatives" / module.name / f"{name}.py"] = text
    names = {"09": module.number, "spatial": module.short, "Spatial": module.title}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        own = re.sub("|".join(names), lambda found: names[found[0]], text)
        path.write_text(own, encoding="utf-8", newline="\n")
    toml = module.folder / "module.toml"
    toml.write_text(described(toml.read_text(encoding="utf-8"), stands_on), encoding="utf-8")
    return read_module(module.folder)


def described(text: str, stands_on: str) -> str:
    """The module.toml that `tito dev new` wrote, changed for these two exercises."""
    needs = '"tinytorch.core.dataloader", "tinytorch.core.tensor", "tinytorch.testing"'
    text = text.replace('needs = ["tinytorch.testing"]', f"needs = [{needs}]")
    text = text.replace("after = []", f'after = ["{stands_on}"]')
    return text.partition("[hints]\n")[0] + "[hints]\n" + HINTS
