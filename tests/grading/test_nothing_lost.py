"""A small version of kill_rounds.py: real processes, real kills."""

from __future__ import annotations

import psutil
import pytest
from kill_rounds import VICTIMS, graded_twice, left_over, make_room, marks, play


@pytest.mark.usefixtures("walls")
def test_after_kills_at_random_moments_every_submission_is_graded_once(tmp_path):
    seen: set[psutil.Process] = set()
    clean, disturbed = make_room(tmp_path / "clean", 6), make_room(tmp_path / "disturbed", 6)
    clean.finish()
    play(disturbed, len(VICTIMS), seed=20261121, seen=seen)
    disturbed.finish()
    assert marks(disturbed.course) == marks(clean.course) and len(marks(clean.course)) == 6 * 4
    assert graded_twice(disturbed) == {}
    assert left_over(seen) == []
