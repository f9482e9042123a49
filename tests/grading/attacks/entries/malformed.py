"""Notebooks that are broken, huge or odd. A person has to look at everything that the engine cannot
read, and gets the reason.
"""

from __future__ import annotations

import json

from tiny_course import cell_of

from attacks.catalogue import Submission, cell, edited, entry
from attacks.course import ALL, NONE, SOME, put

NOTHING_READ = {"solved": NONE, "review": True}


def raw(name, data, **more):
    """A notebook file with these bytes (or a function that makes them from the released
    notebook).
    """

    def build(released, world):
        return Submission(data(json.dumps(released).encode()) if callable(data) else data)

    return entry(name, build, **{**NOTHING_READ, **more})


def encoded(name, encoding):
    """The released notebook in another encoding, with a letter that is not ASCII: it is read, and
    its stubs earn nothing.
    """

    def build(released, world):
        text = json.dumps(released, ensure_ascii=False).replace("Fort", "Fr\u00fc", 1)
        return Submission(text.encode(encoding))

    return entry(name, build, solved=NONE)


def _set(**fields):
    def change(notebook, world):
        notebook.update(fields)

    return change


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


def _code(name, source=""):
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }


def _script(notebook, world):
    text = world.text(SCRIPT)
    cell_of(notebook, "answer-q-why").update(
        source=text, attachments={"x.svg": {"image/svg+xml": text}}
    )
    mine = _code(
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
    notebook["cells"] += [
        mine,
        {"cell_type": "raw", "id": "raw", "metadata": page, "source": text},
    ]
    notebook["metadata"].update(title=text, authors=[{"name": text}])


def _cells(*more):
    return lambda notebook, world: notebook["cells"].extend(json.loads(json.dumps(more)))


def _wizard(one):
    if one["cell_type"] == "code":
        one.update(outputs=[{"output_type": "wizard"}, 7], execution_count="many")


def _paths(one):
    if "nbgrader" in one["metadata"]:
        one["metadata"]["nbgrader"].update(grade_id="../../<script>")


def _format_3(notebook, world):
    code = {"cell_type": "code", "input": "1", "language": "python", "outputs": [], "metadata": {}}
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [code]}]}


MILLIONS = b'{"cells": [], "metadata": {"a": [' + b"{}," * 8_000_000 + b"{}]}}"
LISTS = b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b', "metadata": {}, "nbformat": 4}'
DICTS = b'"metadata": ' + b'{"a":' * 900 + b"1" + b"}" * 900
ENTRIES = [
    # Bytes
    raw("The notebook is not JSON", b'{"cells": [}'),
    raw("The notebook is empty", b""),
    raw("The notebook is a PNG picture", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4),
    raw("The notebook holds NUL bytes", lambda data: data.replace(b'"cells"', b'\x00"cells"', 1)),
    encoded("The notebook is in UTF-16", "utf-16"),
    encoded("The notebook is in latin-1 with letters that are not UTF-8", "latin-1"),
    raw("The notebook is 100,000 lists deep", LISTS),
    raw(
        "The notebook's metadata is 900 dicts deep",
        lambda data: data.replace(b'"metadata": {}', DICTS, 1),
        review=False,
    ),
    raw(
        "The notebook holds endless numbers and duplicate keys",
        lambda data: data[:-1] + b', "nbformat": ' + b"9" * 5000 + b', "cells": []}',
    ),
    raw(
        "The notebook has a million empty cells in 3 MB",
        b'{"metadata": {}, "cells": [' + b"{}," * 999_999 + b"{}]}",
        says="MiB of memory",
    ),
    raw("The notebook's metadata is eight million dicts, in 24 MB", MILLIONS, says="MiB of memory"),
    # Nothing, or not all, can be read
    edited("The notebook is of format 3", _format_3, solved=NONE),
    edited("The cells are a dict", _set(cells={"a": 1}), **NOTHING_READ),
    edited("There are no cells", _set(cells=[]), solved=NONE),
    edited("The metadata is a list", _set(metadata=[1]), **NOTHING_READ),
    edited(
        "Cells have no source, or numbers for it",
        _each(lambda one: one.update(source=7)),
        **NOTHING_READ,
    ),
    edited(
        "The notebook has 60 MB", _answer("x" * 60_000_000), **NOTHING_READ, says="no notebook|MiB"
    ),
    edited(
        "The notebook has 2,001 cells more",
        _cells(*[{}] * 2001),
        **NOTHING_READ,
        says="at most 2,000 cells",
    ),
    edited(
        "Only half of its cells can be read",
        _half,
        review=True,
        says="3 of .* the first is cell 1",
    ),
    # Everything can be read
    *(
        edited(name, change, solved=SOME)
        for name, change in {
            "The notebook is of format 99": _set(nbformat=99),
            "Cells are of a kind that does not exist": _each(
                lambda one: one.update(cell_type="wizard")
            ),
            "nbgrader's metadata is a list, a number or a word": _each(
                lambda one: one["metadata"].update(nbgrader=[1])
            ),
            "Grade ids are paths and markup": _each(_paths),
            "All cells have one id, and it is long": _each(lambda one: one.update(id="x" * 500)),
            "Outputs are of kinds that do not exist": _each(_wizard),
            "A text cell of 10 MB": _answer("x" * 10_000_000),
            "A cell's brackets are nested 5,000 deep": _cells(
                _code("deep", "(" * 5000 + ")" * 5000)
            ),
        }.items()
    ),
    edited(
        "The notebook has 1,000 cells",
        _cells(*(_code(f"n{n}") for n in range(1_000))),
        solved=SOME,
        slow=True,
    ),
    # Pages
    *(
        edited(name, change, solved=SOME, page=True)
        for name, change in {
            "Its code and its answer take a page's tools hours": _long,
            "Its text contains control characters and right-to-left marks": _answer(
                "a\u202egpj.exe \x1b[2J \u0000 \uffff \u200d" * 50
            ),
            "Its text contains a lone surrogate": _answer("\ud800"),
        }.items()
    ),
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
