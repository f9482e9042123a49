"""The data from which statistics of each channel are computed, and to which they are applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tinytorch.core.tensor import Tensor


class PerChannel:
    """Checks data (N, C, ...) before a fit, and remembers their number of dimensions: otherwise
    nobody could tell a batch (N, C, L) from one image (C, H, W).

    Attributes:
        _fitted_on: (number of dimensions, channels) of the data of the last fit, or None.
    """

    _fitted_on: tuple[int, int] | None = None

    def _to_fit(self, data: Any) -> np.ndarray:
        """Return the array of `data`.

        Raises:
            ValueError: the data are empty, have no axis of channels, are no numbers, or hold NaN
                or infinity, which would make every statistic NaN.
        """
        x = data.data if isinstance(data, Tensor) else np.asarray(data)
        if x.ndim < 2 or not x.size or x.dtype.kind not in "fiub":
            raise ValueError(
                f"fit needs numbers (N, C, ...), at least one; got shape {x.shape} of {x.dtype}"
            )
        if x.dtype.kind == "f" and not np.isfinite(x).all():
            count = np.count_nonzero(~np.isfinite(x))
            raise ValueError(f"fit needs finite numbers; {count} of {x.size} are NaN or infinite")
        self._fitted_on = x.ndim, x.shape[1]
        return x

    def _batches_to_fit(self, loader: Iterable) -> Iterator:
        """Yield the loader's batches, each when it is asked for; their images are checked.

        Raises:
            ValueError: as in `_to_fit`, or the images of two batches differ in their number of
                dimensions or channels.
        """
        first = None
        for batch in loader:
            shape = self._to_fit(batch[0] if isinstance(batch, (tuple, list)) else batch).shape
            first = first or shape
            if (len(shape), shape[1]) != (len(first), first[1]):
                raise ValueError(
                    "all batches of a fit need one number of dimensions and of channels; the first"
                    f" has shape {first}, another one {shape}"
                )
            yield batch
            del batch  # while the next batch is loaded, nobody holds this one

    def _along(self, values: np.ndarray, x: np.ndarray) -> np.ndarray:
        """`values` (C,) as float32, shaped to broadcast along the channel axis of x: axis 1 of a
        batch, which has as many dimensions as the data of the fit; axis 0 of one sample.

        Raises:
            ValueError: x is neither a batch nor a sample of the data that were fitted.
        """
        # where mean and std were set by hand, one or three dimensions are those of a sample
        ndim, channels = self._fitted_on or (x.ndim + (x.ndim in (1, 3)), None)
        axis = 1 if x.ndim == ndim else 0
        if x.ndim not in (ndim, ndim - 1) or channels not in (None, x.shape[axis]):
            raise ValueError(
                f"the statistics were fitted on {ndim} dimensions, (N, C, ...), with {channels}"
                f" channels; transform takes such a batch or one sample of it, got shape {x.shape}"
            )
        shape = [1] * x.ndim
        shape[axis] = -1
        return np.reshape(values, shape).astype(np.float32)
