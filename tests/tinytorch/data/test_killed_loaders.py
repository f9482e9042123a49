"""A round of loader_kills.py for each kind of dataset and stream: a worker is killed while module
08b's loader reads. With spawn the rounds are long tests.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from loader_kills import KINDS, run, settings

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(),
    reason="what a program leaves is read from /proc, which this system has not",
)


def a_round(kind: str, victims: str) -> int:
    """The number of the first round that kills them while this is read."""
    return next(
        number
        for number in range(1000)
        if (settings(number)["kind"], settings(number)["victims"]) == (kind, victims)
    )


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_worker_is_an_error_and_nothing_is_left(references, kind, method):
    assert run(a_round(kind, "one"), method, references("08b").path) is None


def test_a_killed_program_leaves_no_worker_that_reads_a_stream(references):
    number = a_round("stream in the workers", "program")
    assert run(number, "fork", references("08b").path) is None
