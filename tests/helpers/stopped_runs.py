"""Runs that end before a chosen step that writes something, as by kill -9 or on a full disk."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from grading.engine.marks import by_hand_record, changed_marks
from grading.engine.run import batch, gradebook_writer, what_is_graded_again

# every way in which a run writes
STEPS = {
    "the log": (batch._Log, "say"),
    "a grade by hand": (by_hand_record.ByHand, "_add"),
    "the answers": (by_hand_record.ByHand, "settle"),
    "the count": (by_hand_record, "_set_count"),
    "the notebook": (batch, "write_atomic"),
    "what it was graded with": (what_is_graded_again, "write_json"),
    "the change": (changed_marks.Changes, "add"),
    "the report": (batch, "write_json"),
    "the gradebook": (gradebook_writer.Writer, "_once"),
}


class Killed(BaseException):
    """Stands for kill -9: the code after it does not run."""


@contextlib.contextmanager
def stopped(moment: int, problem: BaseException) -> Iterator[None]:
    """The body ends with `problem` before its step number `moment`, if it has so many."""
    count = iter(range(1, 10**6))

    def stopping(function):
        def step(*args, **kwargs):
            if next(count) == moment:
                raise problem
            return function(*args, **kwargs)

        return step

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(type(problem)):
        for holder, name in STEPS.values():
            patch.setattr(holder, name, stopping(getattr(holder, name)))
        yield
