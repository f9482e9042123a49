"""What `tito profile 08c` measures: chains of your own loader over images of CIFAR-10's
size. Given; change it as you like.

`tito profile 08c` measures `make_loader`, `tito profile 08c shuffled` measures
`make_shuffled`, and so on for any function `make_NAME` that you add. Each call makes a
new loader; a function may also return (loader, step), where step(batch) is one training
step.
"""

import functools

import numpy as np

from tinytorch.data.columns import ColumnDataset
from tinytorch.data.pipeline import pipeline
from tinytorch.datasets import synthetic_images

NUM_IMAGES = 8192  # 25 MB


@functools.cache
def dataset() -> ColumnDataset:
    images, labels = synthetic_images(NUM_IMAGES, seed=0)
    return ColumnDataset({"images": images, "labels": labels})


def mirrored(row, rng):
    """A transform with random numbers of its own: half of the images are mirrored."""
    return {
        "images": (
            np.ascontiguousarray(row["images"][..., ::-1])
            if rng.random() < 0.5
            else row["images"]
        ),
        "labels": row["labels"],
    }


def make_loader(batch_size=128):
    """From front to back, no transform: what the chain itself costs."""
    return pipeline(dataset(), seed=0).batch(batch_size)


def make_shuffled(batch_size=128):
    """Through a buffer that holds a tenth of the images."""
    return pipeline(dataset(), seed=0).shuffle(buffer_size=2.5).batch(batch_size)


def make_augmented(batch_size=128):
    """The shuffled loader with a random transform for each image."""
    return (
        pipeline(dataset(), seed=0)
        .transform(mirrored)
        .shuffle(buffer_size=2.5)
        .batch(batch_size)
    )
