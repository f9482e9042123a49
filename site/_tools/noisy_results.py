"""Runs inside the kernel of an executed page: hears every result of tinytorch.profiler that can say
that it is noisy, while a cell runs.
"""

from __future__ import annotations

import functools
import json
from typing import Any

_heard: list[dict[str, Any]] = []


def install() -> None:
    """From now on, each new object of a class of tinytorch.profiler with `noisy` is noted."""
    from tinytorch import profiler

    for name in profiler.__all__:
        kind = getattr(profiler, name)
        if isinstance(kind, type) and hasattr(kind, "noisy"):
            _listen_to(kind)


def taken() -> str:
    """What was heard since the last call, as JSON: for each result its class, spread, whether it
    is noisy, and the sentence about a law that it breaks.
    """
    text = json.dumps(_heard)
    _heard.clear()
    return text


def _listen_to(kind: Any) -> None:
    made = kind.__init__

    @functools.wraps(made)
    def heard(self: Any, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        _heard.append(
            {
                "of": kind.__name__,
                "spread": float(getattr(self, "spread", 0.0)),
                "noisy": bool(self.noisy),
                "broken": str(getattr(self, "broken", "")),
            }
        )

    kind.__init__ = heard
