"""A package that answers the inputs of the notebook's laws, and refuses all others or crashes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
WRONG = "wrong"
# What the process of the package does at an input that it does not know.
WAYS = {
    WRONG: "",
    "exception": 'raise RuntimeError("refused")',
    "stub": 'raise NotImplementedError("your turn: refused")',
    "recursion": "def again(): return again()\nagain()",
    "broken": 'raise _sys.modules["tito.contract.wire"].TooBig("refused")',
    "rubbish": "for fd in range(3, 64):\n"
    "    try: _os.write(fd, bytes(range(256)) * 99)\n"
    "    except OSError: pass",
    "closed pipe": "_os.closerange(3, 64)\nwhile True: _sleep(9)",
    "exit": "_os._exit(0)",
    # the first process of a sandbox does not get a signal that it sends itself
    "signal": "import ctypes\nctypes.string_at(0)",
    "timeout": "while True: pass",
}
# Those that end the process, or the talk with it. The others are errors like those of honest code.
ENDS = ("broken", "rubbish", "closed pipe", "exit", "signal", "timeout")
# It is appended to the last cell that is exported. An input is known by the plain values in it and
# by the content of files; what a test lends counts by its type.
GUARD = '''

import functools as _functools, hashlib as _hashlib, itertools as _itertools
import os as _os, sys as _sys
from time import sleep as _sleep
import numpy as _np

_KNOWN, _NOTED, _UNKNOWN = set("""{known}""".split()), {noted!r}, set()
_texts = _itertools.count()

def _plain(value):
    if isinstance(value, (type(None), bool, int, float, str, bytes)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return type(value).__name__ + ",".join(map(_plain, value))
    if isinstance(value, dict):
        return "dict" + _plain(list(value.items()))
    if isinstance(value, _np.ndarray):
        return str((value.dtype, value.shape, value.tobytes()))
    if isinstance(value, _os.PathLike):
        if _os.path.isfile(value):
            return repr(open(value, "rb").read())
        return _os.path.basename(value)
    return "object"

def _known(name, args, kwargs):
    key = _hashlib.sha256((name + _plain(args) + _plain(kwargs)).encode()).hexdigest()[:8]
    if _NOTED:
        with open(_NOTED, "a") as file:
            file.write(key + " ")
    return bool(_NOTED) or key in _KNOWN

def _act():
{act}

def _spoilt(value):
    if value is None:
        return 0
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return 2 * value + 1
    if isinstance(value, str):  # equal texts differ, and different ones are equal
        return "?" * (next(_texts) % 3)
    if isinstance(value, _np.ndarray):
        return value + 1 if value.dtype.kind in "iuf" else value[::-1]
    if isinstance(value, (list, tuple)):
        return type(value)(map(_spoilt, value[1:]))
    if isinstance(value, dict):
        return dict((f"{{key}}?", _spoilt(one)) for key, one in value.items())
    if hasattr(value, "__next__"):
        return map(_spoilt, value)
    return None

def _guarded(name, real):
    @_functools.wraps(real)
    def function(*args, **kwargs):
        if _known(name, args, kwargs):
            return real(*args, **kwargs)
        {unknown}
    return function

def _guard_class(cls):
    begin = cls.__init__
    @_functools.wraps(begin)
    def __init__(self, *args, **kwargs):
        if type(self) is cls and not _known(cls.__name__, args, kwargs):
            {unknown_class}
            return
        begin(self, *args, **kwargs)
    cls.__init__ = __init__
    for name, real in list(vars(cls).items()):
        if isinstance(real, type(_act)) and (name in _SPOILT or not name.startswith("_")):
            setattr(cls, name, _guarded_method(f"{{cls.__name__}}.{{name}}", real))

_SPOILT = ("__len__", "__getitem__", "__getitems__", "__iter__", "__next__", "__call__")

def _guarded_method(name, real):
    @_functools.wraps(real)
    def method(self, *args, **kwargs):
        known = _known(name, args, kwargs) and id(self) not in _UNKNOWN
        if known:
            return real(self, *args, **kwargs)
        {unknown_method}
    return method

for _name, _thing in list(globals().items()):
    if getattr(_thing, "__module__", "") == __name__ and not _name.startswith("_"):
        if isinstance(_thing, type):
            _guard_class(_thing)
        elif callable(_thing):
            globals()[_name] = _guarded(_name, _thing)
'''
# A wrong answer has wrong effects, too: a function does its work twice, and raises nothing.
_WRONGLY = """try:
            real({0}*args, **kwargs)
            return _spoilt(real({0}*args, **kwargs))
        except Exception:
            return 0"""
# What an object keeps is answered wrongly, as what it returns.
_WRONGLY_MADE = """_UNKNOWN.add(id(self))
            try:
                begin(self, *args, **kwargs)
                vars(self).update((name, _spoilt(one)) for name, one in vars(self).items()
                    if isinstance(one, (int, str, dict, list, _np.ndarray)))
            except Exception:
                pass"""


def source_of(way: str, known: str = "", noted: str = "") -> str:
    """The code that turns the reference into one that knows only some inputs."""
    act = "".join(f"    {line}\n" for line in (WAYS[way] or "pass").splitlines())
    wrong = way == WRONG
    return GUARD.format(
        known=known,
        noted=noted,
        act=act,
        unknown=_WRONGLY.format("") if wrong else "_act()",
        unknown_method=_WRONGLY.format("self, ") if wrong else "_act()",
        unknown_class=_WRONGLY_MADE if wrong else "_act()",
    )


def ending_with(cells: Sequence[Any], text: str) -> list[Any]:
    """The cells with this text after the last solution that is exported."""
    last = [cell.index for cell in cells if cell.exported and cell.is_solution][-1]
    return [
        dataclasses.replace(cell, source=cell.source + text) if cell.index == last else cell
        for cell in cells
    ]


def inputs_of_the_notebook(module: Any, cells: Sequence[Any], place: Path) -> str:
    """The keys of the inputs with which `check` calls the reference: those that can be read."""
    from grading.authoring.check.proof import ProofJobs

    noted = place / "noted.txt"
    proofs = ProofJobs(module, place, list(cells))
    guarded = ending_with(cells, source_of(WRONG, noted=str(noted)))
    proofs.contracts(guarded, [module.folder / "tests"])
    proofs.jobs[-1]["environment"] = {"TITO_CONTRACT_SEED": "0"}  # as in the notebook
    proofs.run()
    (answer,) = proofs.answers
    assert not answer.problem and all(one.passed for one in answer.outcomes), answer
    return " ".join(dict.fromkeys(noted.read_text(encoding="ascii").split()))


def graded(place: Path, name: str, ways: Sequence[str], jobs: int = 2) -> dict[str, Any]:
    """way -> the report of the reference that knows the inputs of the notebook."""
    from grading.authoring import release
    from grading.engine.course import references
    from grading.engine.course.directory import Course
    from grading.engine.run.autograde import Limits, Settings, autograde
    from tito.notebook.cells import read_percent
    from tito.workspace import Workspace

    workspace = Workspace(REPOSITORY)
    module = workspace.module(name)
    course = Course.create(place / "course", workspace)
    release.release_to_course(module, course)
    released = json.loads(course.released(module).read_text(encoding="utf-8"))
    cells = read_percent(references.source_path(module))
    (place / "proofs").mkdir()
    known = inputs_of_the_notebook(module, cells, place / "proofs")
    for way in ways:
        guarded = ending_with(cells, source_of(way, known))
        solved = {cell.grade_id: cell.source for cell in guarded if cell.nbgrader.get("solution")}
        notebook = json.loads(json.dumps(released))
        for cell in notebook["cells"]:
            grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = solved.get(grade_id, cell["source"])
        folder = course.submitted(way.replace(" ", "-"), module)
        folder.mkdir(parents=True)
        (folder / f"{module.stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    autograde(
        course, module, Settings(jobs=jobs, limits=Limits(test_seconds=5, contract_seconds=30))
    )
    return {
        way: json.loads(course.report(way.replace(" ", "-"), module).read_text(encoding="utf-8"))
        for way in ways
    }
