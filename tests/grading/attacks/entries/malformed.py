"""Notebooks that are broken, huge or odd, on the whole way of grading. That everything but the run
itself survives any file is tested in tests/grading/test_bounded_reading.py and
test_restore_notebook.py.
"""

from __future__ import annotations

import json

from attacks.catalogue import Submission, cell, edited, entry
from attacks.course import ALL, NONE, SOME, code_cell, put
from helpers.tiny_course import cell_of


def raw(name, data, **more):
    """A notebook file with these bytes."""
    return entry(name, lambda released, world: Submission(data), solved=NONE, review=True, **more)


def _each(change):
    def alter(notebook, world):
        for one in notebook["cells"]:
            change(one)

    return alter


def _half(notebook, world):
    """Add cells that cannot be read; the other cells are the student's work."""
    notebook["metadata"] = [1]
    code = {"id": "x", "cell_type": "code", "metadata": {}, "source": 7}
    notebook["cells"] = [7, code, {**code, "metadata": 7}, *notebook["cells"]]


def _answer(text):
    def change(notebook, world):
        cell_of(notebook, "answer-q-why")["source"] = text

    return change


def _long(notebook, world):
    """Texts for which syntax coloring and markdown rendering take quadratic time."""
    put(notebook, "#" + "a." * 200_000 + '\nb = """' + "a." * 200_000 + '"""', before="double")
    cell_of(notebook, "answer-q-why")["source"] = "\\begin{a}" * 50_000


SCRIPT = """<script>fetch('http://127.0.0.1:@http@/@token@')</script>\
<img src=x onerror="alert(1)"><svg onload=alert(2)>
[link](javascript:alert(3)) ![](http://127.0.0.1:@http@/@token@.png) \
<iframe srcdoc="<script>alert(4)</script>"></iframe>
</textarea></title></style><base href="http://127.0.0.1:@http@/">\
<meta http-equiv="refresh" content="0;url=http://127.0.0.1:@http@/@token@">"""


def _script(notebook, world):
    text = world.text(SCRIPT)
    cell_of(notebook, "answer-q-why").update(
        source=text, attachments={"x.svg": {"image/svg+xml": text}}
    )
    mine = code_cell(
        "html",
        f"""from IPython.display import *
text = {text!r}
for kind in (HTML, Markdown, Latex, Javascript, SVG):
    try:
        display(kind(text))
    except Exception:
        pass
print('\\x1b]8;;javascript:alert(1)\\x07' + text)
kinds = dict.fromkeys(("text/html", "image/svg+xml", "application/javascript"), text)
display({{**kinds, "image/png": '"><script>'}}, raw=True)
raise ValueError(text)
""",
    )
    mine["metadata"] = {"tags": ["<script>"], "name": text}
    page = {"format": "text/html", "raw_mimetype": "text/html"}
    notebook["cells"] += [mine, {"cell_type": "raw", "id": "raw", "metadata": page, "source": text}]
    notebook["metadata"].update(title=text, authors=[{"name": text}])


def _cells(*more):
    return lambda notebook, world: notebook["cells"].extend(json.loads(json.dumps(more)))


def _paths(one):
    if "nbgrader" in one["metadata"]:
        one["metadata"]["nbgrader"].update(grade_id="../../<script>")


MILLIONS = b'{"cells": [], "metadata": {"a": [' + b"{}," * 8_000_000 + b"{}]}}"
# what is odd, though everything can be read -> the change
READ = {
    "nbgrader's metadata is a list, a number or a word": _each(
        lambda one: one["metadata"].update(nbgrader=[1])
    ),
    "Grade ids are paths and markup": _each(_paths),
    "A cell's brackets are nested 5,000 deep": _cells(code_cell("deep", "(" * 5000 + ")" * 5000)),
    "The notebook has 1,000 cells": _cells(*(code_cell(f"n{n}") for n in range(1_000))),
}
SHOWN = {
    "Its code and its answer take a page's tools hours": _long,
    "Its text contains control characters and right-to-left marks": _answer(
        "a\u202egpj.exe \x1b[2J \u0000 \uffff \u200d" * 50
    ),
    "Its text contains a lone surrogate": _answer("\ud800"),
}
ENTRIES = [
    raw("The notebook is not JSON", b'{"cells": [}'),
    raw("The notebook's metadata is eight million dicts, in 24 MB", MILLIONS, says="MiB of memory"),
    edited(
        "Only half of its cells can be read", _half, review=True, says="3 of .* the first is cell 1"
    ),
    *(edited(name, change, solved=SOME) for name, change in READ.items()),
    *(edited(name, change, solved=SOME, page=True) for name, change in SHOWN.items()),
    edited(
        "Its markdown, attachments, outputs, errors, titles and raw cells hold scripts",
        _script,
        solved=ALL,
        page=True,
    ),
    cell(
        "It prints, shows and raises a lone surrogate",
        r"""
        from IPython.display import display
        print("\ud800")
        display({"text/plain": "\udfff"}, raw=True)
        """,
        answers={
            "double": r'raise ValueError("\ud800")',
            "box": r'raise ValueError("\udfff" * 100)',
        },
        solved=NONE,
        page=True,
    ),
]
