"""The rounds of kill_rounds.py, with real processes and real kills."""

from __future__ import annotations

import pytest
from kill_rounds import lose_nothing


@pytest.mark.usefixtures("walls")
@pytest.mark.parametrize(
    "submissions, rounds",
    [
        pytest.param(3, 1, id="the engine"),
        pytest.param(12, 20, id="each process thrice", marks=pytest.mark.long),
    ],
)
def test_after_kills_every_submission_is_graded_once_and_no_secret_is_left(
    tmp_path, submissions, rounds
):
    lose_nothing(tmp_path, submissions, rounds, seed=20261121)
