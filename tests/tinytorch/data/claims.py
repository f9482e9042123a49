"""Tables of a page's claims by its sections, one row each: code, as a reader would type it, and the
value that it must have or the error that it must raise.

The claims that laws prove (tests/test_course.py runs them) are in the tables "Claim by claim" of
the handbook's pages, each with its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor


class Refused(NamedTuple):
    """Code raises an error of this kind, whose message has all these words."""

    kind: type[BaseException] | tuple[type[BaseException], ...]
    words: tuple[str, ...]


def refused(kind, *words: str) -> Refused:
    return Refused(kind, words)


def refusals(kind, table: Mapping[str, Any]) -> dict[str, Refused]:
    """The rows of a table: code, and the words of its error, one text or a list."""
    return {
        code: refused(kind, *([says] if isinstance(says, str) else says))
        for code, says in table.items()
    }


def values(thing: Any) -> Any:
    """The same thing with lists in place of Tensors and arrays."""
    if isinstance(thing, (Tensor, np.ndarray)):
        return np.asarray(getattr(thing, "data", thing)).tolist()
    if isinstance(thing, Mapping):
        return {key: values(part) for key, part in thing.items()}
    return type(thing)(map(values, thing)) if type(thing) in (list, tuple) else thing


def prove(code: str, want: Any, names: Mapping[str, Any]) -> None:
    """Run `code`, an expression, where `names` are known; its value is `want`."""
    if not isinstance(want, Refused):
        assert values(eval(code, dict(names))) == want
        return
    with pytest.raises(want.kind) as caught:
        eval(code, dict(names))
    missing = [words for words in want.words if words not in str(caught.value)]
    assert want.words and not missing, f"{caught.value} does not say {missing}"


def rows(*tables: Mapping[str, Any]):
    """Parameters `code` and `want` for each row of tables: code, value."""
    found = [row for table in tables for row in table.items()]
    return pytest.mark.parametrize("code, want", found, ids=[code for code, _ in found])
