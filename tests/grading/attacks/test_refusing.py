"""A package that does not answer what it does not know never earns more than one that answers it
wrongly; a person is asked to look if it ends its process, and not for an error, which honest code
raises too.
"""

from __future__ import annotations

from typing import Any

import pytest

from attacks.refusing import ENDS, WAYS, WRONG, graded
from grading.engine import sandbox


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, Any]:
    with sandbox.open_sandbox() as box:
        if not box.isolated:
            pytest.skip("NOT ISOLATED here: a class is graded where namespaces or bubblewrap work")
    return graded(tmp_path_factory.mktemp("refusing"), "08a", list(WAYS))


# What it keeps are promises that its wrong answers do not break, so it earns them: four of
# FileCache (3.0 points: a second get of the same key loads nothing), three about orders that only
# have to differ (1.0), four about a picture that is drawn (0.8), and two about files and dicts that
# are not kept and not changed (1.2). These are 6.0 points; five classes had 6.0 to 7.2, as small
# numbers that are drawn may be those of the notebook.
KEPT_AT_MOST = 10


@pytest.mark.long
def test_to_recognize_the_inputs_of_the_notebook_pays_little(reports):
    assert reports[WRONG]["max_points"] == 60
    assert reports[WRONG]["points"] < KEPT_AT_MOST


@pytest.mark.long
@pytest.mark.parametrize("way", [way for way in WAYS if way != WRONG])
def test_to_refuse_an_answer_never_pays(reports, way):
    assert reports[way]["points"] <= reports[WRONG]["points"]
    reasons = " ".join(reports[way]["reasons"])
    assert ("ended without an answer" in reasons or "the run broke off" in reasons) == (way in ENDS)
