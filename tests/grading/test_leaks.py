"""The leak check finds a single line of an answer wherever it is, and ignores text that students
have anyway.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring.leaks import scan_bytes, secrets
from helpers.inboxes import packed
from tito.notebook.cells import Cell

SECRET = "order = generator.permutation(num_samples)"
SOURCE = f'''def epoch_order(num_samples):
    """Public prose, which quotes `return order.astype(np.int64)`."""
    ### BEGIN SOLUTION
    {SECRET}
    x = 1
    import numpy as np
    return order.astype(np.int64)
    ### END SOLUTION
'''
QUESTION = "Why?\n### BEGIN MARK SCHEME\n1 point: the epoch would be the same.\n### END MARK SCHEME"
HIDDEN = "### BEGIN HIDDEN TESTS\n    assert epoch_order(7).sum() == 21\n    ### END HIDDEN TESTS"
CELLS = [
    Cell(1, "code", SOURCE, {"grade_id": "epoch_order"}),
    Cell(2, "markdown", QUESTION, {"grade_id": "why"}),
    Cell(3, "code", f"def test_x():\n    pass\n    {HIDDEN}", {"grade_id": "test_x"}),
]
WANTED = secrets(CELLS)


def found(place: str, text: str, wanted: dict[str, str] = WANTED) -> list[str]:
    return [leak.line for leak in scan_bytes(place, text.encode(), wanted)]


LINES = ["def f():\n", f"    {SECRET}\n"]
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": LINES, "metadata": {}}]}).encode()
OUTPUT = json.dumps({"cells": [{"outputs": [{"text": f"Traceback\n{SECRET}"}]}]}).encode()
PLACES = {
    "code": ("a.py", f"x = 1\n        {SECRET}\n".encode()),
    "comment": ("a.py", f"# {SECRET}\n".encode()),
    "diff": ("a.diff", f"+    {SECRET}\n".encode()),
    "quotation": ("a.md", f"try `{SECRET}` here".encode()),
    "notebook": ("a.ipynb", NOTEBOOK),
    "output": ("a.ipynb", OUTPUT),
    "broken notebook": ("a.ipynb", b"not JSON\n" + SECRET.encode()),
    "not text": ("a.bin", b"\xff\xfe\n" + SECRET.encode() + b"\n"),
    "zip": ("bundle.zip", packed({"modules/a.ipynb": NOTEBOOK})),
    "wheel in a zip": ("bundle.zip", packed({"inner.whl": packed({"x.py": SECRET})})),
}


@pytest.mark.parametrize("place, data", PLACES.values(), ids=PLACES)
def test_one_solution_line_is_found(place, data):
    (leak,) = scan_bytes(place, data, WANTED)
    assert (leak.line, leak.origin) == (SECRET, "cell 1 (epoch_order)")
    assert leak.place.startswith(place)


@given(
    st.sampled_from(sorted(WANTED)),
    st.text(" \t", max_size=6),
    st.lists(st.sampled_from(["x = 1", "pass", "return order.astype(np.int64)"])),
)
def test_blanks_and_neighbors_hide_nothing(secret, blanks, neighbors):
    line = blanks + secret.replace(" ", " " + blanks) + blanks
    assert found("x.py", "\n".join([*neighbors, line, *neighbors])) == [secret]


@pytest.mark.parametrize("secret", WANTED)
@pytest.mark.parametrize(
    "form", ["{}", "- {}", "> 2. {}", "1) {}", "Write `{}`.", "| a | `{}` | b |"]
)
def test_an_answer_in_a_text_of_the_source_itself_is_found(secret, form):
    text = form.format(secret)
    assert found("x.ipynb", text, secrets([Cell(1, "markdown", text), *CELLS])) == [secret]


def test_a_hint_may_come_near_the_line_but_not_be_it():
    assert found("modules/x/module.toml", f'a = ["then {SECRET}."]') == []
    assert found("modules/x/module.toml", f'a = """\n{SECRET}\n"""')
