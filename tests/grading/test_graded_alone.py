"""What becomes of a result that the machine spoiled: a submission that broke off while others ran
beside it is graded once more, alone; a full disk ends the run.
"""

from __future__ import annotations

import json
import types
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.intake.submission import Submission, read_submission
from grading.engine.run import grade_submission, local_pool
from grading.engine.run.local_pool import LocalPool
from grading.engine.run.server import Child, Waiting
from grading.engine.submission_marks import CellMark, Verdict
from grading.engine.submission_size_and_time import Limits
from helpers.instant_grading import make_room
from tito.errors import disk_full
from tito.outcome import Outcome


@given(st.lists(st.booleans(), max_size=12), st.integers(1, 4), st.data())
def test_nothing_runs_beside_a_job_that_has_to_run_alone(alone, at_once, data):
    waiting, running, started = Waiting(), [], []
    for number, one in enumerate(alone):
        waiting.add({"job": number, "alone": one})
    while True:
        job = waiting.next(running, at_once)
        if job is not None:
            started.append(job["job"])
            running.append(Child(job["job"], 0.0, 0.0, alone=job["alone"]))
            assert len(running) <= at_once
            assert len(running) == 1 or not any(child.alone for child in running)
        elif running:
            running.pop(data.draw(st.integers(0, len(running) - 1)))
        else:
            break
    assert sorted(started) == list(range(len(alone))), "each one is run once"
    assert sorted(started, key=lambda number: alone[number]) == started, "alone after the others"


class Grader:
    """In the place of the process that grades: it answers each job with the next verdict."""

    jobs = 2

    def __init__(self, answers: list[tuple[Verdict, int | None, bool]]):
        self.answers, self.alone = answers, []

    def run(self, request: Any, log: Any, seconds: float, ended: Any, alone: bool = False) -> None:
        verdict, code, beside = self.answers[len(self.alone)]
        self.alone.append(alone)
        text = json.dumps(verdict.as_json())
        (request.parent / "result.json").write_text(text, encoding="utf-8")
        ended(code, 1.0, beside=beside)

    def close(self) -> None:
        pass


def verdict(status: str, points: float) -> Verdict:
    outcome = Outcome(status)
    return Verdict((CellMark("n", "c", "contract", 2.0, points, outcome, (outcome,)),))


WHOLE = verdict("pass", 2.0)


@pytest.mark.parametrize(
    "first, code, beside, alone",
    [
        (verdict("not_run", 0.0), 0, True, [False, True]),
        (verdict("timeout", 1.0), 0, True, [False, True]),
        (WHOLE, None, True, [False, True]),  # its time was up
        (verdict("timeout", 1.0), 0, False, [False]),  # nothing ran beside it
        (verdict("fail", 1.0), 0, True, [False]),
        (WHOLE, 0, True, [False]),
    ],
)
def test_a_mark_that_others_may_have_cost_does_not_stand(first, code, beside, alone, template):
    kit = template[1]
    grader = Grader([(first, code, beside), (WHOLE, 0, False)])
    box: Any = types.SimpleNamespace(alive=True, address="", level="none", close=lambda: None)
    with LocalPool(kit, box, Limits(), grader) as pool:  # type: ignore[arg-type]
        found = pool.submit(Submission("ann")).result().verdict
    assert grader.alone == alone
    assert found.marks == (WHOLE if len(alone) == 2 else first).marks


@pytest.mark.parametrize("code, free", [(grade_submission.DISK_FULL, 2**30), (1, 0), (0, 0)])
def test_a_full_temporary_folder_ends_the_run_and_is_no_result(
    template, tmp_path, monkeypatch, code, free
):
    course, stand_in = make_room(template, tmp_path)
    ends, usage = [], types.SimpleNamespace(free=free)

    def start(request, log, seconds, ended, alone) -> None:
        ends.append(ended)

    server = types.SimpleNamespace(jobs=1, run=start, close=lambda: None)
    box = types.SimpleNamespace(alive=True, address="", level="stand-in", close=lambda: None)
    with LocalPool(stand_in.kit, box, Limits(), server) as local:
        place = course.submitted("ada", stand_in.kit.assignment)
        future = local.submit(read_submission(place, "ada", {"tiny_dev": set()}))
        # what ends the run meanwhile cannot cancel it, so its result finds a place
        assert not future.cancel()
        monkeypatch.setattr(local_pool.shutil, "disk_usage", lambda path: usage)
        ends[0](code)
    assert disk_full(future.exception())
