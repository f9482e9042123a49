"""A loader as HTML: its dataset, its order, and its batches; a shorter last batch is drawn shorter.
No sample is read and no epoch is started.

A loader is recognized by its attributes `dataset`, `batch_size` (or `bs`) and `shuffle`, whatever
its class.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from tinytorch.notebook import page

FULL, LAST, INK = "#56B4E9", "#E69F00", "#1a1a1a"  # Okabe and Ito (2008); INK is legible on both
MOST_BOXES = 12
BOX_PIXELS = 44  # width of a full batch
LEAST_BOX = 10  # width of the shortest box, so that it can be seen
_ABSENT = object()


def loader_html(loader: Any) -> str | None:
    """HTML of a loader; None for an object without dataset, batch size and order, or whose dataset
    has no length.
    """
    dataset, shuffle = _attribute(loader, "dataset"), _attribute(loader, "shuffle")
    batch_size = _attribute(loader, "batch_size", "bs")
    if dataset is _ABSENT or not _is_count(batch_size) or shuffle is _ABSENT:
        return None
    samples = _length(dataset)
    if not isinstance(samples, int):
        return None
    drop_last = bool(_attribute(loader, "drop_last", default=False))
    full, rest = divmod(samples, int(batch_size))
    rows = [
        ("dataset", _dataset(dataset, samples)),
        ("order", _order(loader, bool(shuffle))),
        ("batches", _batches(full, rest, int(batch_size), drop_last)),
        *_extras(loader),
        *_disagreement(loader, full + bool(rest and not drop_last)),
    ]
    size = f"of {page.plural(samples, 'sample')}", f"in batches of {batch_size}"
    return page.block(
        page.heading(type(loader).__name__, *size),
        page.table((), rows),
        _boxes(full, rest, int(batch_size), drop_last),
    )


def _attribute(thing: Any, *names: str, default: Any = _ABSENT) -> Any:
    values = (getattr(thing, name, _ABSENT) for name in names)
    return next((value for value in values if value is not _ABSENT), default)


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)


def _length(thing: Any) -> int | str | None:
    """len(thing), or the text of the error that it raises."""
    try:
        return len(thing)
    except Exception as problem:  # noqa: BLE001  a student's __len__ may raise anything; it is shown
        return str(problem) or type(problem).__name__


def _dataset(dataset: Any, samples: int) -> str:
    transform = _attribute(dataset, "transform", default=None)
    through = f", each through {_name(transform)}" if transform is not None else ""
    return f"{type(dataset).__name__}, {page.plural(samples, 'sample')}{through}"


def _name(thing: Any) -> str:
    return page.short(getattr(thing, "__name__", None) or type(thing).__name__).strip("'\"")


def _order(loader: Any, shuffle: bool) -> str:
    for name in ("batch_sampler", "sampler"):
        chosen = _attribute(loader, name, default=None)
        # PyTorch's loader makes samplers itself, and then `shuffle` alone describes the order
        if chosen is not None and not type(chosen).__module__.startswith("torch."):
            return f"chosen by {_name(chosen)}"
    if not shuffle:
        return "0, 1, 2, ... in every epoch"
    seed = _attribute(loader, "seed", default=None)
    again = "; no seed: other orders in another run"
    again = again if seed is None else f", repeatable with seed {seed}"
    return f"shuffled, a new order each epoch{again}"


def _batches(full: int, rest: int, batch_size: int, drop_last: bool) -> str:
    if not full and not rest:
        return "none: the dataset is empty"
    if not rest:
        return f"{full:,} of {batch_size}"
    if drop_last:
        return (
            f"{full:,} of {batch_size}; drop_last leaves out the last {page.plural(rest, 'sample')}"
            " of each epoch's order"
        )
    if not full:
        return f"1 of {rest}, shorter than batch_size"
    return f"{full + 1:,}: {full:,} of {batch_size}, the last of {rest}"


def _extras(loader: Any) -> list[tuple[str, str]]:
    """Rows for settings that are not the default."""
    rows = []
    for name, word, what in (("prefetch", "batch", " read ahead"), ("num_workers", "process", "")):
        value = _attribute(loader, name, default=0)
        if _is_count(value):
            rows.append((name, page.plural(int(value), word) + what))
    for name in ("collate_fn", "batch_transform"):
        value = _attribute(loader, name, default=None)
        if value is not None:
            rows.append((name, _name(value)))
    epoch = _attribute(loader, "epoch", default=None)
    if _is_count(epoch):
        rows.append(("epoch", f"the next loop is epoch {epoch}, counted from 0"))
    return rows


def _disagreement(loader: Any, batches: int) -> list[tuple[str, str]]:
    """A row if `len(loader)` differs from the number that follows from dataset and batch_size."""
    told = _length(loader)
    if told == batches or not hasattr(type(loader), "__len__"):
        return []
    other = f"{told}, yet dataset and batch_size make {batches}"
    return [("len(loader)", other if isinstance(told, int) else f"fails: {told}")]


def _boxes(full: int, rest: int, batch_size: int, drop_last: bool) -> str:
    """One box for each batch, with its number of samples; a long row has a gap."""
    if not full and not rest:
        return ""
    boxes = [_box(batch_size, batch_size, FULL, "solid")] * min(full, MOST_BOXES - bool(rest))
    if full > len(boxes):
        gap = f"... {full - len(boxes) + 1:,} more ..."
        boxes[len(boxes) // 2] = f'<span style="padding:2px 4px">{gap}</span>'
    words = f"{page.plural(full, 'batch')} of {batch_size}"
    if rest and drop_last:
        boxes.append(_box(rest, batch_size, "transparent", "dashed"))
        words += f" and {rest} samples left out"
    elif rest:
        boxes.append(_box(rest, batch_size, LAST, "solid"))
        words += f" and a last one of {rest}"
    return (
        f'<div role="img" aria-label="{escape(words)}"'
        ' style="display:flex;flex-wrap:wrap;gap:3px;align-items:center;margin:4px'
        f' 0">{"".join(boxes)}</div>'
    )


def _box(samples: int, batch_size: int, color: str, line: str) -> str:
    width = max(LEAST_BOX, round(BOX_PIXELS * samples / batch_size))
    ink = "inherit" if color == "transparent" else INK
    text = samples if 7 * len(str(samples)) + 4 <= width else ""
    return (
        f'<span title="{samples} samples" style="width:{width}px;height:22px;line-height:22px;'
        "box-sizing:border-box;overflow:hidden;text-align:center;font-size:11px;"
        f"background:{color};color:{ink};border:1px {line} {page.LINE};border-radius:3px"
        f'">{text}</span>'
    )
