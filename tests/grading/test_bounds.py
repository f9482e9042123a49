"""A trusted process reads each submission within limits of memory and time, and then continues."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
import sys

import pytest

from grading.engine.bounds import TooMuch, bounded


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


def test_other_errors_pass():
    before = state()
    with pytest.raises(KeyError), bounded("reading x"):
        raise KeyError
    assert state() == before


def test_limits_that_are_tighter_already_stay():
    code = (
        "import resource as r\n"
        "from grading.engine.bounds import TooMuch, bounded\n"
        "r.setrlimit(r.RLIMIT_AS, (2**29, 2**29))\n"
        "with bounded('x', memory_bytes=2**32):\n"
        "    print(r.getrlimit(r.RLIMIT_AS))\n"
        "print(r.getrlimit(r.RLIMIT_AS))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"({2**29}, {2**29})\n" * 2


def test_in_another_thread_the_body_just_runs():
    from concurrent.futures import ThreadPoolExecutor

    def body():
        with bounded("reading x"):
            return 1

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(body).result() == 1
