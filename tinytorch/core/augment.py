"""Flip, crop and normalize whole batches of images: the same as per-sample transforms, in a few
NumPy calls.

Read `BatchAugment` of module 08 first: it computes the same in four lines. This version is written
for speed. Three ideas:

1. The random numbers of a sample depend only on (seed, epoch, sample, position). So a batch can
   draw them together (`EpochKey.uniforms_from`), and the images equal those of
   `Compose([RandomHorizontalFlip(p), RandomCrop((H, W), padding)])`.
2. The crop of a channel is one long copy. Images are stored with `padding` black rows above and
   below, and no padding at the sides. Stored so, a crop that is moved by (dy, dx) is one run of
   H * W pixels which starts dy * W + dx pixels later; a mask blackens the pixels that wrapped in
   from the next row. One run of H * W pixels is copied three times as fast as H runs of W.
3. Pixels stay bytes until the end. Then they become float32 and are normalized 16 images at a time,
   which fit into the processor's L2 cache. A whole batch does not fit, and every pass over it would
   go to main memory.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytorch.core.checks import probability, whole
from tinytorch.core.rng import Blocks, EpochKey
from tinytorch.core.tensor import Tensor

_EPOCHS_KEPT = 4  # several loops may run at the same time, each in another epoch
_TOGETHER = 16  # images normalized at a time: 196 kB of float32 at CIFAR-10's size


class FastAugment:
    """A `batch_transform`: flips and crops the images (B, C, H, W) of a batch, and normalizes them
    where `mean` and `std` are given.

    Args:
        p: probability of a flip, 0 to 1. It is drawn as at position 0 of a Compose.
        padding: black pixels around an image before an (H, W) crop, 0 or more. The place of the
            crop is drawn as at position 1.
        mean, std: one number for each channel; the result is then (x - mean) / std as float32. With
            None the images keep their dtype.

    A batch is the images, or a tuple whose first item is the images. Tensors give Tensors, arrays
    give arrays.
    """

    def __init__(self, p: float = 0.5, padding: int = 4, mean: Any = None, std: Any = None):
        self._decide, self._scale = _Decisions(p, padding), _scale(mean, std)

    def __call__(self, batch: Any, key: EpochKey, indices: np.ndarray) -> Any:
        images, *rest = batch if isinstance(batch, tuple) else (batch,)
        x = images.data if isinstance(images, Tensor) else np.asarray(images)
        flips, top, left = self._decide(key, indices)
        strip = _Strip(x.shape, x.dtype, self._decide.padding)
        strip.images[:] = x
        flips = np.flatnonzero(flips)
        strip.images[flips] = mirrored(x.take(flips, axis=0))
        out: Any = self._scale(strip.cut(np.arange(len(x)), top, left))
        out = Tensor(out) if isinstance(images, Tensor) else out
        return (out, *rest) if isinstance(batch, tuple) else out


class AugmentFromCopies:
    """A `batch_transform` that reads the images itself, from padded and mirrored copies that it
    makes once. It is faster than `FastAugment` and needs more memory.

    Use it with a loader that loads everything except the images: `DataLoader(TensorDataset(labels),
    batch_transform=AugmentFromCopies(images))` gives batches (images, labels). They equal those of
    `FastAugment` on a loader of (images, labels).

    Args:
        images: (N, C, H, W); sample i of the loader is image i.
        p, padding, mean, std: as for FastAugment.

    Attributes:
        nbytes: memory of the copies, 2 (H + 2 padding) / H times that of the images.
    """

    def __init__(
        self,
        images: np.ndarray,
        p: float = 0.5,
        padding: int = 4,
        mean: Any = None,
        std: Any = None,
    ):
        self._decide, self._scale = _Decisions(p, padding), _scale(mean, std)
        images = images.data if isinstance(images, Tensor) else images
        # image i is stored at 2 i, its mirror image at 2 i + 1
        self._strip = _Strip((2 * len(images), *images.shape[1:]), images.dtype, padding)
        self._strip.images[0::2], self._strip.images[1::2] = images, images[..., ::-1]
        self.nbytes = self._strip.nbytes

    def __call__(self, batch: Any, key: EpochKey, indices: np.ndarray) -> tuple:
        flips, top, left = self._decide(key, indices)
        out = Tensor(self._scale(self._strip.cut(2 * indices + flips, top, left)))
        return (out, *batch) if isinstance(batch, tuple) else (out, batch)


class _Decisions:
    """(whether to flip, top, left) of samples, as RandomHorizontalFlip at position 0 and RandomCrop
    at position 1 draw them.

    They are kept for an epoch: 6 bytes for each sample.
    """

    def __init__(self, p: float, padding: int):
        self.p, self.padding = probability("p", p), whole("padding", padding, 0)
        self.epochs: dict[EpochKey, Blocks] = {}

    def __call__(self, key: EpochKey, indices: np.ndarray) -> np.ndarray:
        """int64, shape (3, B)."""
        blocks = self.epochs.get(key)
        if blocks is None:
            blocks = Blocks(lambda start, count: self._draw(key, start, count))
            self.epochs = dict([*self.epochs.items(), (key, blocks)][-_EPOCHS_KEPT:])
        return blocks.of(indices).T.astype(np.int64, order="C")

    def _draw(self, key: EpochKey, start: int, count: int) -> np.ndarray:
        drawn = np.empty((count, 3), np.int16)
        drawn[:, 0] = key.uniforms_from(start, count, 1, position=0)[:, 0] < self.p
        # rounded down
        drawn[:, 1:] = key.uniforms_from(start, count, 2, position=1) * (2 * self.padding + 1)
        return drawn


def mirrored(images: np.ndarray) -> np.ndarray:
    """Images (..., W) mirrored left to right; rows of bytes eight at a time where W allows it."""
    if images.itemsize == 1 and images.shape[-1] % 8 == 0 and images.flags.c_contiguous:
        return images.view(np.uint64)[..., ::-1].byteswap().view(images.dtype)
    return images[..., ::-1]


@functools.lru_cache(maxsize=8)
def _masks(height: int, width: int, pixel: int, padding: int) -> np.ndarray:
    """(2 padding + 1, H * W * pixel) bytes: 0 where a crop at that `left` would show a pixel of the
    neighboring row, else 255.
    """
    column = np.arange(width * pixel) // pixel + np.arange(2 * padding + 1)[:, None] - padding
    seen = np.where((0 <= column) & (column < width), 255, 0).astype(np.uint8)
    masks = np.tile(seen, height)
    masks.flags.writeable = False
    return masks


class _Strip:
    """Images (N, C, H, W) as one strip of bytes: idea 2 at the top of this file."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, padding: int):
        count, channels, height, width = shape
        self.shape, self.dtype, self.padding = shape[1:], dtype, padding
        # in bytes
        self.pixel = np.dtype(dtype).itemsize
        self.row = row = width * self.pixel
        channel, pad = (height + 2 * padding) * row, padding * self.pixel
        self.image = channels * channel
        self.nbytes = count * self.image
        # the first and the last crop may reach beyond the images
        strip = np.zeros(pad + self.nbytes + pad, np.uint8)
        inner = strip[pad : pad + self.nbytes].view(dtype)
        inner = inner.reshape(count, channels, height + 2 * padding, width)
        self.images = inner[:, :, padding : padding + height]
        # Row b of `runs` is the crop that starts at byte b of the strip: C runs of H * W pixels. It
        # is a view and copies nothing.
        starts = len(strip) - ((channels - 1) * channel + height * row) + 1
        self.runs = np.lib.stride_tricks.as_strided(
            strip, (max(0, starts), channels, height * row), (1, channel, 1), writeable=False
        )
        self.masks = _masks(height, width, self.pixel, padding)

    def cut(self, which: np.ndarray, top: np.ndarray, left: np.ndarray) -> np.ndarray:
        """Copies of the crops (B, C, H, W) of the images `which` at (top, left)."""
        out = self.runs[which * self.image + top * self.row + left * self.pixel]
        # blacken the pixels that come from the neighboring row
        out &= self.masks.take(left, axis=0)[:, None]
        return out.view(self.dtype).reshape(len(out), *self.shape)


def _scale(mean: Any, std: Any) -> Callable[[np.ndarray], np.ndarray]:
    """The function that normalizes a batch, or returns it unchanged without mean and std."""
    if (mean is None) != (std is None):
        raise ValueError(
            f"mean and std are given together or not at all, got mean={mean}, std={std}"
        )
    if mean is None:
        return lambda images: images
    if not np.all(np.asarray(std) > 0):
        raise ValueError(f"std must be over 0 for every channel, got {std}")
    return _Scale(mean, std)


class _Scale:
    """(x - mean) / std per channel, float32, as x * scale + offset."""

    def __init__(self, mean: Any, std: Any):
        mean, std = (np.asarray(value, np.float64).reshape(-1, 1, 1) for value in (mean, std))
        self.scale, self.offset = (1 / std).astype(np.float32), (-mean / std).astype(np.float32)
        self.full: tuple[np.ndarray, ...] | None = None

    def __call__(self, images: np.ndarray) -> np.ndarray:
        shape, full = (_TOGETHER, *images.shape[1:]), self.full
        if full is None or full[0].shape != shape:
            # NumPy multiplies arrays of the full shape twice as fast as with shape (C, 1, 1)
            full = self.full = tuple(
                np.ascontiguousarray(np.broadcast_to(value, shape))
                for value in (self.scale, self.offset)
            )
        out = np.empty(images.shape, np.float32)
        for start in range(0, len(images), _TOGETHER):
            part = out[start : start + _TOGETHER]
            np.copyto(part, images[start : start + _TOGETHER], casting="same_kind")
            part *= full[0][: len(part)]
            part += full[1][: len(part)]
        return out
