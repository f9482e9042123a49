"""Notebooks that are broken, huge or odd, on the whole way of grading. That everything but the run
itself survives any file is tested in tests/grading/test_bounded_reading.py and
test_restore_notebook.py.
"""

from __future__ import annotations

from attacks.catalogue import Submission, cell, edited, entry
from attacks.course import ALL, NONE, code_cell, put
from helpers.tiny_course import cell_of


def _half(notebook, world):
    """Add cells that cannot be read; the other cells are the student's work."""
    notebook["metadata"] = [1]
    code = {"id": "x", "cell_type": "code", "metadata": {}, "source": 7}
    notebook["cells"] = [7, code, {**code, "metadata": 7}, *notebook["cells"]]


def _unlabeled(notebook, world):
    for one in notebook["cells"]:
        one["metadata"].update(nbgrader=[1])


def _long(notebook, world):
    """Texts for which syntax coloring and markdown rendering take quadratic time, and characters
    that no page can show.
    """
    odd = "a\u202egpj.exe \x1b[2J \u0000 \uffff \u200d \ud800" * 50
    put(notebook, "#" + "a." * 200_000 + '\nb = """' + "a." * 200_000 + '"""', before="double")
    cell_of(notebook, "answer-q-why")["source"] = "\\begin{a}" * 50_000 + odd


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


ENTRIES = [
    entry(
        "The notebook is not JSON",
        lambda released, world: Submission(b'{"cells": [}'),
        solved=NONE,
        review=True,
    ),
    edited(
        "Only half of its cells can be read", _half, review=True, says="3 of .* the first is cell 1"
    ),
    edited("nbgrader's metadata is a list", _unlabeled),
    edited("Its code takes a page's tools hours, its answer is no text", _long, page=True),
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
            "box__init": r'raise ValueError("\udfff" * 100)',
        },
        solved=NONE,
        page=True,
    ),
]
