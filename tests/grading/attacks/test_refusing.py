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


@pytest.mark.long
@pytest.mark.parametrize("way", [way for way in WAYS if way != WRONG])
def test_to_refuse_an_answer_never_pays(reports, way):
    assert reports[way]["points"] <= reports[WRONG]["points"] < reports[way]["max_points"] / 2
    reasons = " ".join(reports[way]["reasons"])
    assert ("ended without an answer" in reasons or "the run broke off" in reasons) == (way in ENDS)
