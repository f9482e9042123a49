"""The leak check finds a single line of an answer wherever it is, and ignores text that students
have anyway.
"""

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring.leaks import markers, normal, scan_bytes, scan_folder, secrets
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
TEST = (
    "def test_x():\n    pass\n    ### BEGIN HIDDEN TESTS\n    assert epoch_order(7).sum() == 21\n  "
    "  ### END HIDDEN TESTS"
)
CELLS = [
    Cell(1, "code", SOURCE, {"grade_id": "epoch_order"}),
    Cell(2, "markdown", QUESTION, {"grade_id": "why"}),
    Cell(3, "code", TEST, {"grade_id": "test_x"}),
]
WANTED = secrets(CELLS)


def test_the_secrets_are_lines_of_answers_that_say_something_and_are_not_public():
    assert WANTED == {
        SECRET: "cell 1 (epoch_order)",
        "1 point: the epoch would be the same.": "cell 2 (why)",
        "assert epoch_order(7).sum() == 21": "cell 3 (test_x)",
    }


def zipped(*files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "source": ["def f():\n", f"    {SECRET}\n"], "metadata": {}}]}
).encode()
OUTPUT = json.dumps({"cells": [{"outputs": [{"text": f"Traceback\n{SECRET}"}]}]}).encode()


@pytest.mark.parametrize(
    "place, data",
    [
        ("a.py", f"x = 1\n        {SECRET}\n".encode()),
        ("a.py", f"# {SECRET}\n".encode()),
        ("a.diff", f"+    {SECRET}\n".encode()),
        ("a.md", f"try `{SECRET}` here".encode()),
        ("a.ipynb", NOTEBOOK),
        ("a.ipynb", OUTPUT),
        ("a.ipynb", b"not JSON\n" + SECRET.encode()),
        ("a.bin", b"\xff\xfe\n" + SECRET.encode() + b"\n"),
        ("bundle.zip", zipped(("modules/a.ipynb", NOTEBOOK))),
        ("bundle.zip", zipped(("inner.whl", zipped(("x.py", SECRET))))),
    ],
    ids=[
        "code",
        "comment",
        "diff",
        "quotation",
        "notebook",
        "output",
        "broken notebook",
        "not text",
        "zip",
        "wheel in a zip",
    ],
)
def test_one_solution_line_is_found(place, data):
    (leak,) = scan_bytes(place, data, WANTED)
    assert (
        leak.line == SECRET
        and leak.origin == "cell 1 (epoch_order)"
        and leak.place.startswith(place)
    )


@given(
    st.sampled_from(sorted(WANTED)),
    st.text(" \t", max_size=6),
    st.lists(st.sampled_from(["x = 1", "pass", "return order.astype(np.int64)"])),
)
def test_blanks_and_neighbors_hide_nothing(secret, blanks, neighbors):
    text = "\n".join([*neighbors, blanks + secret.replace(" ", " " + blanks) + blanks, *neighbors])
    assert [leak.line for leak in scan_bytes("x.py", text.encode(), WANTED)] == [secret]


@given(st.text())
def test_normal_form_is_normal(line):
    assert normal(normal(line)) == normal(line)


@given(
    st.sampled_from(sorted(WANTED)),
    st.sampled_from(["{}", "- {}", "> 2. {}", "1) {}", "Write `{}`.", "| a | `{}` | b |"]),
)
def test_an_answer_in_a_text_of_the_source_itself_is_found(secret, form):
    text = form.format(secret)
    wanted = secrets([Cell(1, "markdown", text), *CELLS])
    assert [leak.line for leak in scan_bytes("x.ipynb", text.encode(), wanted)] == [secret]


def test_public_text_raises_no_alarm(tmp_path):
    (tmp_path / "a.py").write_text(
        SOURCE.replace(SECRET, "raise NotImplementedError"), encoding="utf-8"
    )
    assert scan_folder(tmp_path, WANTED) == []


def test_a_hint_may_come_near_the_line_but_not_be_it():
    assert scan_bytes("modules/x/module.toml", f'a = ["then {SECRET}."]'.encode(), WANTED) == []
    assert scan_bytes("modules/x/module.toml", f'a = """\n{SECRET}\n"""'.encode(), WANTED)


def test_a_marker_in_a_students_room_is_a_leak(tmp_path):
    (tmp_path / "a.md").write_text("### BEGIN MARK SCHEME", encoding="utf-8")
    assert [leak.place for leak in markers(tmp_path, tmp_path)] == ["a.md"]
