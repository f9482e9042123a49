"""Suggestions in error messages for a name that was mistyped."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The end of an error message: "; did you mean 'labels'?", or the known names where none is
    close.
    """
    known = list(known)
    lower = {word.lower(): word for word in reversed(known)}
    close = difflib.get_close_matches(str(name).lower(), lower, n=1)
    if close:
        return f"; did you mean {lower[close[0]]!r}?"
    shown = ", ".join(map(repr, known[:12])) + (", ..." if len(known) > 12 else "")
    return f"; there are {shown}" if known else ""


def slip_of(name: object, known: Iterable[str]) -> str | None:
    """The known name that `name` almost is, as `trainig-Records` almost is `training_records`. None
    where it is known itself, or is another word.
    """
    known = list(known)
    if name in known:
        return None
    spelled = str(name).lower().replace("-", "_")
    close = difflib.get_close_matches(spelled, known, n=1, cutoff=0.89)
    return close[0] if close else None
