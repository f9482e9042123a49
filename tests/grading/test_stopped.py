"""Ctrl-C in a real process: the words say what was kept and which command goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from grading.engine.intake import hand_in_times as times
from helpers.inboxes import put
from helpers.patience import PATIENCE_SECONDS
from helpers.tiny_course import fill
from helpers.written_marks import hand_in

ROOT = Path(__file__).resolve().parents[2]
# the part of the verb that never ends calls `here`: the test sends Ctrl-C when it reads "HERE"
BEGIN = """
import sys, time
from tito.cli import main
def here(until=lambda: False):
    print("HERE", flush=True)
    while not until():
        time.sleep(0.01)
"""
END = "\nsys.exit(main(sys.argv[1:]))"
SLOW_PAGE = """
import grading.engine.marks.feedback as room
pages = room._pages
def slow(course, assignment, solutions, report):
    if report.student == "bob":
        here((course.root / "go-on").exists)
    return pages(course, assignment, solutions, report)
room._pages = slow
"""
SLOW_PUT = """
import grading.engine.intake.store as room
put = room.Store._put
room.Store._put = lambda intake, work: here() if work.student == "bob" else put(intake, work)
"""
SLOW_KIT = """
import grading.engine.run.autograde as room
room.Kit.build = lambda *words: here()
"""


def stopped(room, hook: str, sign: str, *words: str) -> str:
    """What `tito WORDS` wrote to stderr after Ctrl-C, which came when it had printed `sign`."""
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + hook + END, *words, "--course", str(room.course.root)],
        cwd=room.workspace.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal's Ctrl-C goes to every process of the verb
    )
    try:
        assert any(sign in line for line in process.stdout), process.stderr.read()
        os.killpg(process.pid, signal.SIGINT)
        (room.course.root / "go-on").touch()
        _, said = process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, said
    assert "Traceback" not in said, said
    return " ".join(said.split())


def test_autograde_keeps_what_is_graded_and_its_command_goes_on(room, released, inbox):
    for name, double in (("ann", "return 2 * x"), ("bob", "while True: pass")):
        put(inbox / f"{name}.ipynb", json.dumps(fill(released, double=double)))
    room.collect(inbox)
    said = stopped(room, "", "ann", "grade", "autograde", "07", "--jobs", "1")
    command = f"tito grade autograde 07_tiny --course {room.course.root}"
    assert said == (
        "Stopped. 1 of 2 submissions of 07_tiny are graded, and their results are kept. To grade"
        f" the others, run: {command}"
    )
    put(room.notebook("bob"), json.dumps(fill(released)))  # the rest of the test does not wait
    code, text = room.tito(*command.split()[2:])
    assert code == 0 and re.search(r"ann .* unchanged", text)
    assert room.grade("bob", "test_box")["auto_score"] == 3


def test_autograde_that_had_not_begun_counts_nothing(room, inbox):
    put(inbox / "ann.ipynb", "{}")
    room.collect(inbox)
    said = stopped(room, SLOW_KIT, "HERE", "grade", "autograde", "07", "--force")
    command = f"tito grade autograde 07_tiny --force --course {room.course.root}"
    assert said == (
        "Stopped. No submission of 07_tiny was graded in this run. To grade all, run: " + command
    )


@pytest.mark.parametrize("jobs, count", [("1", "1"), ("2", r"\d")])
def test_feedback_says_how_many_pages_are_new(room, jobs, count):
    """With more jobs than one, processes leave Ctrl-C to the verb, and end the page they began."""
    for name in ("ann", "bob", "cid"):
        hand_in(room, name)
    said = stopped(room, SLOW_PAGE, "HERE", "grade", "feedback", "07", "--jobs", jobs)
    assert re.fullmatch(
        rf"Stopped. The pages of {count} of 3 students are new; those of the others are as they"
        r" were. To write all, run: tito grade feedback 07_tiny --course "
        + re.escape(str(room.course.root)),
        said,
    )
    made = [name for name in ("ann", "bob") if room.course.feedback(name, room.module).is_file()]
    assert made == (["ann"] if jobs == "1" else ["ann", "bob"])


def test_collect_keeps_what_is_in_and_goes_on_as_if_never_stopped(room, released, inbox):
    for name in ("ann", "bob", "cid"):
        put(inbox / f"{name}.ipynb", json.dumps(fill(released, answer=name)))
    said = stopped(room, SLOW_PUT, "HERE", "grade", "collect", str(inbox))
    assert said == (
        f"Stopped. 1 submission of 07_tiny went into {room.course.root}; your files are as they"
        " were. To take in the rest, run the same command again"
    )
    # whose it is and whose clock says when stay known, although the collection did not end
    assert times.HandInTimes(room.course, room.module).entries["ann"]["from"] == times.FILE
    kept = json.loads((room.course.reports(room.module) / "_collect.json").read_text())
    assert kept["known_by"] == {"ann": "file name"}
    lines = room.collect(inbox)
    assert [line.status for line in lines] == ["unchanged", "taken", "taken"]
