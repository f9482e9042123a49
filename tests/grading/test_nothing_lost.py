"""Small versions of kill_rounds.py, with real processes and real kills."""

from __future__ import annotations

import pytest
from kill_rounds import lose_nothing, make_room
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
    lose_nothing(tmp_path, submissions, rounds, seed=20261121)


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
