"""A batch, a sample or a Tensor as HTML: count, shapes, dtypes, and its images with their labels.

A batch is recognized by its content, whatever loader made it: a tuple or dict (perhaps nested, or
an object with dicts `inputs` and `outputs`) of Tensors or arrays whose first dimensions are equal.
For anything else the functions return None, and the notebook shows it as usual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tinytorch.notebook import page
from tinytorch.notebook.image_grid import MOST_IMAGES, Pictures, is_image, pictures_of

MOST_PARTS = 64  # of a tuple or dict; more is a list of something, not a batch
MOST_LEVELS = 6
MOST_LOOKS = 500  # values that are visited below a tuple or dict, which may contain itself
MOST_VALUES = 8  # in a row of the table
LOOKED_AT = 2**27  # bytes; finding the range of a larger array would take too long
SHORT_TENSOR = 100  # elements; the plain text shows all of them

Part = tuple[str, Any]


def array_in(value: Any) -> np.ndarray | None:
    """The array that a value is, or holds in `.data` as a Tensor does; else None."""
    if isinstance(value, np.ndarray):
        return value
    inside = getattr(value, "data", None)
    return inside if isinstance(inside, np.ndarray) else None


def batch_html(batch: Any) -> str | None:
    """HTML of a batch, or of one sample (an image with its label); None for anything else."""
    parts = list(_parts(batch, "", MOST_LEVELS, iter(range(MOST_LOOKS))))
    arrays = [(name, array) for name, value in parts if (array := array_in(value)) is not None]
    if not arrays or not _from_a_loader(batch, parts, arrays):
        return None
    if _is_sample(arrays):
        return _sample_html(parts, arrays)
    if any(not array.ndim for _, array in arrays) or len({len(array) for _, array in arrays}) > 1:
        return None
    return _batch_html(parts, arrays)


def _parts(value: Any, name: str, levels: int, looks: Iterator[int]) -> Iterator[Part]:
    """(name, value) of the parts of a batch. A container without arrays is one part. Each container
    that is opened uses up one of `looks`.
    """
    named = _items(value, name) if levels and next(looks, None) is not None else None
    if named is None or len(named) > MOST_PARTS:
        yield name, value
        return
    parts = [part for below, inner in named for part in _parts(inner, below, levels - 1, looks)]
    if any(array_in(leaf) is not None for _, leaf in parts):
        yield from parts
    else:
        yield name, value


def _items(value: Any, name: str) -> list[Part] | None:
    if isinstance(value, Mapping):
        return [(f"{name}[{key!r}]", inner) for key, inner in value.items()]
    if isinstance(value, (tuple, list)):
        return [(f"{name}[{number}]", inner) for number, inner in enumerate(value)]
    if not name and all(
        isinstance(getattr(value, side, None), Mapping) for side in ("inputs", "outputs")
    ):
        return [(side, getattr(value, side)) for side in ("inputs", "outputs")]
    return None


def _from_a_loader(batch: Any, parts: list[Part], arrays: list[tuple[str, np.ndarray]]) -> bool:
    """Whether this looks like a batch of a loader, not like any pair of arrays such as `np.unique`
    returns: there are Tensors, names or images in it.
    """
    if not isinstance(batch, (tuple, list)):
        return True
    if any(not isinstance(value, np.ndarray) and array_in(value) is not None for _, value in parts):
        return True
    return any(is_image(one) or pictures_of(one[:1] if one.ndim else one) for _, one in arrays)


def _is_sample(arrays: list[tuple[str, np.ndarray]]) -> bool:
    images = [array for _, array in arrays if is_image(array)]
    return bool(images) and all(is_image(array) or not array.ndim for _, array in arrays)


def _batch_html(parts: list[Part], arrays: list[tuple[str, np.ndarray]]) -> str:
    count, total = len(arrays[0][1]), sum(array.nbytes for _, array in arrays)
    labels = _labels(arrays)
    grids = []
    for name, array in arrays:
        if pictures := pictures_of(array):
            which = f"{name}: " if len(arrays) > 1 else ""
            below = f", {labels[0]} below" if labels else ""
            note = _note(f"{which}{_shown(count)}, {pictures.size}{below}", pictures)
            grids += [page.grid(pictures, labels[1] if labels else None), note]
    size = f"of {page.plural(count, 'sample')}", page.size_of(total)
    return page.block(page.heading("Batch", *size), _table(parts), *grids)


def _shown(count: int) -> str:
    if count > MOST_IMAGES:
        return f"the first {MOST_IMAGES} of {count:,} images"
    return page.plural(count, "image")


def _note(text: str, pictures: Pictures) -> str:
    return page.note("; ".join(filter(None, (text, pictures.note))))


def _sample_html(parts: list[Part], arrays: list[tuple[str, np.ndarray]]) -> str:
    numbers = [array for _, array in arrays if not array.ndim and array.dtype.kind in "iub"]
    label, grids = [str(number.item()) for number in numbers[:1]], []
    for name, array in arrays:
        if array.ndim and (pictures := pictures_of(array[np.newaxis])):
            note = _note(f"{name}: {pictures.size}", pictures)
            grids += [page.grid(pictures, label or None), note]
    return page.block(page.heading("Sample"), _table(parts), *grids)


def _labels(arrays: list[tuple[str, np.ndarray]]) -> tuple[str, list[str]] | None:
    """The name and the first texts of the first array with one integer or boolean a sample."""
    for name, array in arrays:
        if array.dtype.kind in "iub" and array.ndim in (1, 2) and array.size == len(array):
            return name, [str(value) for value in array.reshape(-1)[:MOST_IMAGES].tolist()]
    return None


def _table(parts: list[Part]) -> str:
    rows = []
    for name, value in parts:
        array = array_in(value)
        facts = ("", type(value).__name__, "") if array is None else _facts(array)
        rows.append((name, *facts, page.short(value) if array is None else _values(array)))
    return page.table(("", "shape", "dtype", "size", "values"), rows)


def _facts(array: np.ndarray) -> tuple[str, str, str]:
    return page.shape_of(array), str(array.dtype), page.size_of(array.nbytes)


def _values(array: np.ndarray) -> str:
    """The first values of a 1-D array; the range of an array with more dimensions."""
    if array.ndim <= 1:
        first = array.reshape(-1)[:MOST_VALUES].tolist()
        texts = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in first]
        return " ".join(texts + ["..."] * (array.size > MOST_VALUES))
    if array.dtype.kind not in "fiub" or not array.size or array.nbytes > LOOKED_AT:
        return ""
    with np.errstate(invalid="ignore"):  # NaN is shown, without a warning
        low, high = array.min(), array.max()
    return f"{low:.4g} to {high:.4g}" if array.dtype.kind == "f" else f"{low} to {high}"


def tensor_html(tensor: Any) -> str | None:
    """HTML of a Tensor: images, or facts above values; None where the plain text is enough."""
    array = tensor.data
    facts = (*_facts(array), "requires_grad" if tensor.requires_grad else "")
    if pictures := pictures_of(array[np.newaxis] if is_image(array) else array):
        count = 1 if is_image(array) else len(array)
        return page.block(
            page.heading("Tensor", *facts, _values(array)),
            page.grid(pictures, None),
            _note(f"{_shown(count)}, {pictures.size}", pictures),
        )
    if array.size <= SHORT_TENSOR:
        return None
    values = np.array2string(array, separator=", ", threshold=SHORT_TENSOR, edgeitems=2)
    return page.block(
        page.heading("Tensor", *facts, _values(array) if array.ndim > 1 else ""), page.code(values)
    )
