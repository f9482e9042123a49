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


def test_what_takes_too_much_memory_ends_with_a_sentence_and_the_limits_are_as_before():
    before, said = state(), "reading x takes more than 64 MiB of memory"
    with pytest.raises(TooMuch, match=said), bounded("reading x", memory_bytes=2**26):
        bytearray(2**28)
    assert state() == before
    assert len(bytearray(2**28)) == 2**28


def test_no_handler_and_no_loop_outside_python_holds_up_the_end_of_the_time():
    """The signal is sent again after every second of CPU time."""
    before, held = state(), []

    def loop():
        try:
            while True:
                pass
        except Exception:  # noqa: BLE001 - as a reader might
            held.append(Exception)
        except BaseException:  # noqa: BLE001
            held.append(BaseException)
        re.match(r"(a*)*b", "a" * 40)

    said = "reading x takes more than 1 s of computing time"
    with pytest.raises(TooMuch, match=said), bounded("reading x", seconds=1):
        loop()
    assert held == [BaseException] and state() == before
