"""A module of one exercise that replaces the sample of `tito dev new`. The sample has laws; this
module has contract tests, public and hidden, as an author writes them who wants tests that students
never see.

It builds on the module that exports tinytorch.core.dataloader.
"""

from __future__ import annotations

import re
import shutil

from tito.workspace import Module, read_module

SOURCE = '''# %% [markdown]
"""
# 09 Spatial

A pixel means something only beside its neighbors. Here you make images
smaller, batch by batch.

**<!-- hours -->, <!-- points -->.** You need module 08: its `DataLoader` brings the
batches.
"""

# %% given given_setup
#| export
import numpy as np

from tinytorch.core.dataloader import DataLoader, TensorDataset
from tinytorch.core.tensor import Tensor

# %% given given_test_tools
from tinytorch.testing import check, expect, finish

# %% [markdown]
"""
## 1 A pixel and its neighbors
"""

# %% [markdown]
"""
### 1a pool_batches: smaller images
<!-- points -->, about 40 minutes

**Contract.** `pool_batches(loader, size)` yields Tensors, from batches of (N, H, W)
images.

1. A batch of the loader gives one batch of N images.
2. Rows and columns that fill no block of `size` are left out.
3. Each entry is the largest of its block.
"""


# %% stub pool_batches
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


# %% test test_pool_batches, 8 points
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

# %% question why_pool, 2 points [markdown]
"""
### 1b Why pool?
<!-- points -->, about 20 minutes

What does pooling save, and what does it lose?

### BEGIN MARK SCHEME
1 point for numbers or memory saved, 1 point for the place within a block.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% given given_finish
finish()
'''

WRONG = {
    "pool_batches": """\
# %% last_block_may_be_small: What is left at the border makes a smaller block. (promise
# 2)
def pool_batches(loader, size):
    for (images,) in loader:
        yield Tensor(images.data[:, ::size, ::size])


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
"""
}
RIGHT = {
    "strided_maxima": """\
# The maximum of the images that begin at each place of a block.
def pool_batches(loader, size):
    for (images,) in loader:
        n, h, w = images.shape
        kept = images.data[:, : h - h % size, : w - w % size]
        places = [kept[:, i::size, j::size] for i in range(size) for j in range(size)]
        yield Tensor(np.maximum.reduce(places))
""",
    "one_side_after_the_other": """\
# First the rows, then the columns.
def pool_batches(loader, size):
    for (images,) in loader:
        data = images.data
        for axis in (1, 2):
            starts = np.arange(0, data.shape[axis] - size + 1, size)
            whole = np.take(data, range(len(starts) * size), axis)
            data = np.maximum.reduceat(whole, starts, axis)
        yield Tensor(data)
""",
    "loops": """\
# One block at a time.
def pool_batches(loader, size):
    for (images,) in loader:
        n, h, w = images.shape
        out = np.empty((n, h // size, w // size))
        for i, j in np.ndindex(out.shape[1:]):
            block = images.data[:, i * size : (i + 1) * size, j * size : (j + 1) * size]
            out[:, i, j] = block.max(axis=(1, 2))
        yield Tensor(out)
""",
}
PUBLIC = '''"""What the exported package promises."""

import numpy as np
import pytest

from tinytorch.testing import expect


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


@pytest.mark.contract("test_pool_batches")
def test_pooling_keeps_the_largest_of_each_block(tt, draw):
    images = draw.normal(size=(2, 5, 4))
    (batch,) = tt.pool_batches([[tt.Tensor(images)]], 2)
    got = np.asarray(batch.data)
    expect(
        got.shape == (2, 2, 2),
        "Rows and columns that fill no block of size are left out.",
        got=got.shape,
    )
    for (n, i, j), entry in np.ndenumerate(got):
        block = images[n, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        largest = np.isclose(entry, block.max())
        expect(largest, "Each entry is the largest of its block.", got=got)
'''
ABOUT = """# 09 Spatial

Neighboring pixels belong together; of each block one stays.

```python
>>> import numpy as np
>>> from tinytorch.core.spatial import Tensor, pool_batches
>>> (small,) = pool_batches([[Tensor(np.arange(16.0).reshape(1, 4, 4))]], 2)
>>> small.data.tolist()
[[[5.0, 7.0], [13.0, 15.0]]]

```

## Common errors

The blocks do not overlap; what fills no block is left out.
"""
HINTS = (
    'pool_batches = ["Cut into blocks.", "reshape gives a block two axes.", "max(axis=(2, 4))."]\n'
)


def fill(module: Module, *, stands_on: str) -> Module:
    """Replace the sample of `tito dev new` by the exercise, under the module's own number and
    name, in a module that builds on the module in the folder `stands_on`.
    """
    secrets = module.root / "grading" / "modules" / module.name
    for kind in ("wrong", "right"):
        shutil.rmtree(secrets / kind)
    shutil.rmtree(module.tests)
    texts = {
        secrets / f"{module.stem}.py": SOURCE,
        secrets / "tests" / f"test_{module.short}_hidden.py": HIDDEN,
        module.tests / f"test_{module.short}.py": PUBLIC,
        module.folder / "ABOUT.md": ABOUT,
    }
    for name, text in WRONG.items():
        texts[secrets / "wrong" / f"{name}.py"] = text
    for name, text in RIGHT.items():
        texts[secrets / "right" / f"{name}.py"] = text
    names = {"09": module.number, "spatial": module.short, "Spatial": module.title}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        own = re.sub("|".join(names), lambda found: names[found[0]], text)
        path.write_text(own, encoding="utf-8", newline="\n")
    toml = module.folder / "module.toml"
    toml.write_text(described(toml.read_text(encoding="utf-8"), stands_on), encoding="utf-8")
    return read_module(module.folder)


def described(text: str, stands_on: str) -> str:
    """The module.toml that `tito dev new` wrote, changed for this exercise."""
    needs = '"tinytorch.core.dataloader", "tinytorch.core.tensor", "tinytorch.testing"'
    text = text.replace("needs = []", f"needs = [{needs}]")
    text = text.replace("after = []", f'after = ["{stands_on}"]')
    return text.partition("[hints]\n")[0] + "[hints]\n" + HINTS
