"""TensorFlow's tf.data."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from peers.workload import FLIP, PADDING, Work

NEEDS = ("tensorflow",)


class Numpy:
    """Iterates over NumPy arrays, which takes less time than tensors of TensorFlow."""

    def __init__(self, work: Work, build: Callable):
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow as tf

        self.dataset = build(tf, work).prefetch(tf.data.AUTOTUNE)

    def __iter__(self):
        return self.dataset.as_numpy_iterator()


def slices(tf, work: Work):
    samples = tf.data.Dataset.from_tensor_slices((work.images, work.labels))
    return samples.shuffle(len(work.images)).batch(work.batch_size)


def per_sample(tf, work: Work):
    images, labels = tf.constant(work.images), tf.constant(work.labels)
    samples = _order(tf, work).map(
        lambda i: (_augment_image(tf, tf.gather(images, i), work), tf.gather(labels, i)),
        num_parallel_calls=tf.data.AUTOTUNE,
    )
    return samples.batch(work.batch_size)


def gathered(tf, work: Work):
    images, labels = tf.constant(work.images), tf.constant(work.labels)
    batches = _order(tf, work).batch(work.batch_size)
    return batches.map(lambda i: (tf.gather(images, i), tf.gather(labels, i)))


def per_batch(tf, work: Work):
    return gathered(tf, work).map(
        lambda x, y: (_augment_batch(tf, x, work), y), num_parallel_calls=tf.data.AUTOTUNE
    )


def _order(tf, work: Work):
    count = len(work.images)
    return tf.data.Dataset.range(count).shuffle(count)


def _augment_image(tf, image, work: Work):
    image = tf.cond(tf.random.uniform(()) < FLIP, lambda: tf.reverse(image, [2]), lambda: image)
    padded = tf.pad(image, [[0, 0], [PADDING, PADDING], [PADDING, PADDING]])
    cropped = tf.image.random_crop(padded, work.images.shape[1:])
    return (tf.cast(cropped, tf.float32) - work.mean) / work.std


def _augment_batch(tf, images, work: Work):
    """Gather first rows, then columns from the padded batch; a flip gathers from right to left."""
    count = tf.shape(images)[0]
    height, width = work.images.shape[2:]
    padded = tf.pad(images, [[0, 0], [0, 0], [PADDING, PADDING], [PADDING, PADDING]])
    top = tf.random.uniform((count, 1), 0, 2 * PADDING + 1, tf.int32)
    left = tf.random.uniform((count, 1), 0, 2 * PADDING + 1, tf.int32)
    columns = (
        tf.where(
            tf.random.uniform((count, 1)) < FLIP,
            tf.range(width - 1, -1, -1)[None],
            tf.range(width)[None],
        )
        + left
    )
    padded = tf.transpose(padded, [0, 2, 3, 1])
    cropped = tf.gather(
        tf.gather(padded, tf.range(height)[None] + top, axis=1, batch_dims=1),
        columns,
        axis=2,
        batch_dims=1,
    )
    cropped = tf.transpose(cropped, [0, 3, 1, 2])
    return (tf.cast(cropped, tf.float32) - work.mean) / work.std


AUGMENT = {
    "map per sample, AUTOTUNE": partial(Numpy, build=per_sample),
    "map per batch": partial(Numpy, build=per_batch),
}
ROWS = {
    "memory": {
        "slices, shuffled by a full buffer": partial(Numpy, build=slices),
        "shuffled indices, tf.gather a batch": partial(Numpy, build=gathered),
    },
    "augment": AUGMENT,
    "step": AUGMENT,
}
