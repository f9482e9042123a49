"""A disk that is really full: a small file system in memory, filled at each step that writes. The
run ends with exit code 3 and one sentence, and the next one completes it.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_by_hand import StandInClass, everything

from grading.engine.intake.submission import read_submission
from grading.engine.limits import Limits
from grading.engine.run import local_pool, worker
from helpers.instant_grading import STUDENTS, clean, gradebook_of, make_room
from helpers.stopped_runs import STEPS
from tito import cli
from tito.errors import disk_full


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if not hasattr(os, "geteuid") or os.geteuid() or subprocess.run(mount).returncode:
        pytest.skip("a small file system can be mounted by root on Linux only")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(place: Path) -> None:
    """Leave no byte free."""
    with open(place / "filler", "ab", buffering=0) as file:
        for size in (2**16, 2**12, 1):
            with pytest.raises(OSError) as full:
                while True:
                    file.write(b"x" * size)
            assert full.value.errno == errno.ENOSPC


@pytest.mark.parametrize(
    "step", ["the log", "a grade by hand", "the notebook", "the report", "the gradebook"]
)
def test_a_disk_that_gets_full_at_any_step_loses_nothing(template, small_disk, step, capsys):
    room = StandInClass.make(template, small_disk)
    course = room.course
    room.run()
    for student in STUDENTS[:2]:
        room.in_formgrader(student, 1.0, "Yes.")
    wanted = everything(course)
    holder, name = STEPS[step]
    real: Callable = getattr(holder, name)
    calls = iter(range(1, 10**6))

    def filling(*args, **kwargs):
        if next(calls) == 2:
            fill(small_disk)
        return real(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holder, name, filling)
        with pytest.raises(Exception) as ended:
            room.run(force=True)
    assert disk_full(ended.value)
    words = ["grade", "autograde", "--course", str(course.root)]
    assert cli._failed(ended.value, words, False) == 3
    said = capsys.readouterr().err
    assert said.startswith(f"the disk is full: {small_disk}") and said.count("\n") == 1
    assert said.endswith("to see which disks are full: df -h\n")

    (small_disk / "filler").unlink()
    room.run()
    assert gradebook_of(course) == clean(room.pool.kit)
    # as in nbgrader, what is graded again for no change of the answer keeps its grade
    assert everything(course) == wanted


@pytest.mark.parametrize("code, free", [(worker.DISK_FULL, 2**30), (1, 0), (0, 0)])
def test_a_full_temporary_folder_ends_the_run_and_is_no_result(
    template, tmp_path, monkeypatch, code, free
):
    course, stand_in = make_room(template, tmp_path)
    ends, usage = [], SimpleNamespace(free=free)

    def start(request, log, seconds, ended, alone) -> None:
        ends.append(ended)

    server = SimpleNamespace(jobs=1, run=start, close=lambda: None)
    box = SimpleNamespace(alive=True, address="", level="stand-in", close=lambda: None)
    with local_pool.LocalPool(stand_in.kit, box, Limits(), server) as local:
        place = course.submitted("ada", stand_in.kit.assignment)
        future = local.submit(read_submission(place, "ada", {"tiny_dev": set()}))
        # what ends the run meanwhile cannot cancel it, so its result finds a place
        assert not future.cancel()
        monkeypatch.setattr(local_pool.shutil, "disk_usage", lambda path: usage)
        ends[0](code)
    assert disk_full(future.exception())
