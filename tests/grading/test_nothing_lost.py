"""Small versions of kill_rounds.py, with real processes and real kills."""

from __future__ import annotations

import psutil
import pytest
from kill_rounds import graded_twice, left_over, make_room, marks, play
from patience import until


@pytest.mark.usefixtures("walls")
@pytest.mark.parametrize(
    "submissions, rounds",
    [
        pytest.param(3, 1, id="the engine"),
        pytest.param(12, 20, id="each process thrice", marks=pytest.mark.long),
    ],
)
def test_after_kills_at_random_moments_every_submission_is_graded_once(
    tmp_path, submissions, rounds
):
    seen: set[psutil.Process] = set()
    clean, disturbed = (make_room(tmp_path / name, submissions) for name in ("clean", "disturbed"))
    clean.finish()
    play(disturbed, rounds, seed=20261121, seen=seen)
    disturbed.finish()
    assert marks(disturbed.course) == marks(clean.course)
    assert len(marks(clean.course)) == submissions * 4
    disturbed.lose_gradebook()
    assert marks(disturbed.course) == []
    disturbed.finish()
    assert marks(disturbed.course) == marks(clean.course)
    assert graded_twice(disturbed) == {}
    assert left_over(seen) == []
    for room in (clean, disturbed):
        assert [path.name for path in room.scratch.iterdir()] == []  # such as the hidden tests
        room.scratch.rmdir()


@pytest.mark.usefixtures("walls")
def test_a_killed_engine_leaves_no_secret_for_longer_than_until_the_next_run(tmp_path):
    room = make_room(tmp_path, 1)
    process = room.start()
    assert until(lambda: any(room.scratch.glob("tito-kit-*/kit/*")))
    process.kill()
    process.wait()
    assert any(room.scratch.glob("tito-kit-*/kit/*"))
    room.finish()
    assert [path.name for path in room.scratch.iterdir()] == []
    room.scratch.rmdir()
