"""What laws of several exercises need: errors of somebody else's code, iterators that count how
often they are asked, and tables of worked cases. Authors of other modules may use it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Real
from typing import Any

# What somebody else's code may raise: a solution that catches one kind of it is found.
ERRORS = (
    OSError("disk gone"),
    KeyError("row 3"),
    ValueError("broken image"),
    TypeError("no number"),
    AttributeError("no column"),
    IndexError("row 4"),
    RuntimeError("not now"),
    TimeoutError("too slow"),
    EOFError("cut short"),
)


def shown(error: BaseException) -> str:
    """An error in one line: "KeyError: 'x'"."""
    return f"{type(error).__name__}: {error}"


def raised_by(action: Callable[[], Any]) -> str:
    """The error that `action` raises, as it is shown; without an error, what it returned.

    Raises:
        NotImplementedError: the exercise is still to be written.
    """
    try:
        result = action()
    except NotImplementedError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any may be asked for
        return shown(error)
    return f"no error, but {result!r}"


class Tape(Iterator[Any]):
    """Items that come one at a time. With an error it fails once, at its end, so that a second try
    is seen in `reads`, the number of times that it was asked.
    """

    def __init__(self, items: Iterable[Any], error: BaseException | None = None):
        self.items, self.error, self.reads = list(items), error, 0

    def __next__(self) -> Any:
        self.reads += 1
        if self.reads <= len(self.items):
            return self.items[self.reads - 1]
        error, self.error = self.error, None
        raise error or StopIteration


def about(want: float, within: float = 0.01) -> Callable[[Any], bool]:
    """For the `holds` of a case: whether a number misses `want` by at most that share."""
    least = max(within * abs(want), 1e-9)
    return lambda got: isinstance(got, Real) and bool(abs(float(got) - want) <= least)


def worked(tt: Any, name: str, table: Iterable[Sequence[Any]], within: float = 0.01) -> Iterator:
    """A case for each row of a table: the arguments of the function `name`, then its answer, which
    may be missed by a share of `within`.
    """
    for *given, want in table:
        call = f"{name}({', '.join(map(_short, given))})"
        got = lambda given=given: getattr(tt, name)(*given)  # noqa: E731
        yield call, got, want, about(want, within)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
