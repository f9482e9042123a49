"""Registers how a shell shows a batch or a loader after `%load_ext tinytorch`.

A tuple cannot have a `_repr_html_`, and students write their own DataLoader. So these are
registered in IPython's HTML formatter, by type or by the names of module and class. A class that
has a `_repr_html_` is left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytorch.notebook.batches import batch_html
from tinytorch.notebook.loader_html import loader_html

# "__main__" is the notebook itself
LOADERS = (
    "tinytorch.core.dataloader",
    "tinytorch.data.batch_loader",
    "tinytorch.data.callback_loader",
    "__main__",
)
NAMED = {
    (module, name): draw
    for module in LOADERS
    for name, draw in (("DataLoader", loader_html), ("Batch", batch_html))
}
CONTAINERS = (tuple, dict)


def _polite(draw: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    """Wrap `draw` so that an object's own `_repr_html_` is used where its class has one."""

    def show(thing: Any) -> str | None:
        own = getattr(type(thing), "_repr_html_", None)
        return own(thing) if callable(own) else draw(thing)

    # marks our own, so that `unregister` removes only these; a function may have any attribute
    show.tinytorch = True  # type: ignore[attr-defined]
    return show


def register(ipython: Any) -> None:
    """Register with the shell's HTML formatter, now and before each cell."""
    formatter = ipython.display_formatter.formatters["text/html"]
    for kind in CONTAINERS:
        if kind not in formatter.type_printers:
            formatter.for_type(kind, _polite(batch_html))

    def tinytorch_names(info: Any = None) -> None:
        # again before each cell: IPython drops a name once it has seen its class, and a class that
        # is defined again or reloaded is a new class
        for key, draw in NAMED.items():
            formatter.deferred_printers.setdefault(key, _polite(draw))

    tinytorch_names()
    ipython.events.register("pre_run_cell", tinytorch_names)


def unregister(ipython: Any) -> None:
    """Undo `register`."""
    formatter = ipython.display_formatter.formatters["text/html"]
    for printers in (formatter.type_printers, formatter.deferred_printers):
        for key in [key for key, show in printers.items() if getattr(show, "tinytorch", False)]:
            del printers[key]
    for callback in list(ipython.events.callbacks["pre_run_cell"]):
        if getattr(callback, "__name__", "") == "tinytorch_names":
            ipython.events.unregister("pre_run_cell", callback)
