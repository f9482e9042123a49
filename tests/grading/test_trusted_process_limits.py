"""A trusted process reads each submission within limits of memory and time, and then continues."""

from __future__ import annotations

import re
import resource
import signal

import pytest

from grading.engine.trusted_process_limits import TooMuch, bounded


def state():
    limits = [resource.getrlimit(kind) for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU)]
    return [*limits, signal.getsignal(signal.SIGXCPU)]


@pytest.mark.parametrize(
    "body, limits, says",
    [
        (lambda: bytearray(2**28), {"memory_bytes": 2**26}, "more than 64 MiB of memory"),
        # a loop that is not in Python
        (lambda: re.match(r"(a*)*b", "a" * 40), {"seconds": 1}, "more than 1 s of computing time"),
    ],
    ids=["memory", "time"],
)
def test_what_takes_too_much_ends_with_a_sentence_and_the_limits_are_as_before(body, limits, says):
    before = state()
    with pytest.raises(TooMuch, match=f"reading x takes {says}"), bounded("reading x", **limits):
        body()
    assert state() == before
    assert len(bytearray(2**28)) == 2**28


def test_no_handler_on_the_way_holds_it_up():
    """The signal is sent again after every second of CPU time."""
    held = []

    def loop():
        try:
            while True:
                pass
        except Exception:  # noqa: BLE001 - as a reader might
            held.append(Exception)
        except BaseException:  # noqa: BLE001
            held.append(BaseException)
        while True:
            pass

    with pytest.raises(TooMuch), bounded("reading x", seconds=1):
        loop()
    assert held == [BaseException]
