"""The rounds of kill_rounds.py, with real processes and real kills."""

from __future__ import annotations

import pytest
from kill_rounds import lose_nothing


@pytest.mark.long
@pytest.mark.usefixtures("walls")
def test_after_kills_every_submission_is_graded_once_and_no_secret_is_left(tmp_path):
    # 20 rounds: each kind of process is killed about three times
    lose_nothing(tmp_path, submissions=12, rounds=20, seed=20261121)
