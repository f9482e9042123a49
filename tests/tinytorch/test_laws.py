"""tinytorch.laws: a law says the same in a notebook, on the package and through the pipe."""

import json
import math
import os
import random
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.patience import python
from tinytorch import laws
from tinytorch.law_tools import Tape, raised_by, worked
from tinytorch.laws import checker, same
from tinytorch.testing import PromiseBroken, YourTurn
from tito.contract.outcome_file import read

PROMISES = [
    "double(x) is twice x.",
    "A text raises TypeError that says its value.",
    "The argument is left as it was.",
    "halve(x) is called once for each number.",
    "The global generators of random numbers are left alone.",
]
LAWS = '''
"""Laws of exercise 1a."""
import numpy as np
from tinytorch.laws import law


@law(1, "twice x", look="the factor")
def test_twice(tt, draw):
    x = draw.integers(0, 99, 5)
    yield f"double({x.tolist()})", lambda: tt.double(x), 2 * x


@law(2, "A text", look="isinstance", raises=TypeError)
def test_a_text_is_refused(tt):
    def got():
        return tt.double("seven")

    yield "double('seven')", got, "seven"


def changed(tt):
    import numpy as np

    x = np.arange(3)
    tt.double(x)
    return x.tolist()


@law(3, "left as it was", look="is x written into?")
def test_the_argument_stays(inside):
    yield "double(x): x after it", lambda: inside(changed), [0, 1, 2]


@law(4, "called once", look="where is halve called?")
def test_halve_is_called_once(tt, stand_in):
    calls = []
    stand_in(halve=lambda x: calls.append(x) or x / 2)
    got = tt.quarter(8.0)
    yield "quarter(8.0): calls of halve", [got, calls], [2.0, [8.0, 4.0]]


@law(5, "global generators", look="which line draws?")
def test_global_generators(tt, global_random_state):
    before = global_random_state()
    tt.double(np.arange(2))
    yield "double([0, 1])", "changed", "unchanged", before == global_random_state()
'''
RIGHT = """
import numpy as np
def double(x):
    if isinstance(x, str):
        raise TypeError(f"a number, got {x!r}")
    return x + x
def halve(x):
    return x / 2
def quarter(x):
    return halve(halve(x))
"""
# what differs from RIGHT -> the first promise that it breaks
WRONG = {
    "return 3 * x": ("return x + x", 1),
    'raise TypeError("a number")': ('raise TypeError(f"a number, got {x!r}")', 2),
    "x += x; return x": ("return x + x", 3),
    "return x / 4": ("return halve(halve(x))", 4),
    "np.random.random(); return x + x": ("return x + x", 5),
}


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A module `90_shop` with laws, beside a package; its notebook's `check`."""
    folder = tmp_path / "modules" / "90_shop" / "tests"
    folder.mkdir(parents=True)
    about = 'number = "90"\ntitle = "Shop"\nexport = "shop.py"\nnotebook = "shop_dev"\n'
    (folder.parent / "module.toml").write_text(about, encoding="utf-8")
    (folder / "test_1a_double.py").write_text(LAWS, encoding="utf-8")
    fact = {"cell": "test_double", "title": "double: twice", "hint": "90 double", "points": 4.0}
    told = json.dumps({"1a": {**fact, "promises": PROMISES}})
    (folder / laws.CONTRACTS).write_text(told, encoding="utf-8")
    monkeypatch.setattr(laws, "folder_of", lambda module: folder)
    laws.contracts.cache_clear(), laws.laws_of.cache_clear()
    return folder


def in_the_notebook(code):
    """What `check("1a")` raises where `code` was run; None if all laws hold."""
    names = {"check": checker("90_shop")}
    exec(code, names)
    before = dict(names)
    try:
        exec('check("1a")', names)
    except (PromiseBroken, YourTurn) as broken:
        return broken
    finally:
        assert {name: names[name] for name in before} == before, "a stand-in was left behind"


def on_the_package(folder, code, form):
    """The outcomes of the laws on a package with this code, in the order of the promises."""
    (folder.parents[2] / "shop.py").write_text(code, encoding="utf-8")
    report = folder.parent / f"{form}.jsonl"
    words = ["-p", "tito.contract.plugin", "-p", "no:cacheprovider", "-q", f"--tt={form}"]
    words += [f"--rootdir={folder.parents[2]}", f"--contract-report={report}", folder]
    path = os.pathsep.join([str(folder.parents[2]), *sys.path])
    python("-m", "pytest", *words, PYTHONPATH=path)
    return read(report)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_solution_breaks_the_same_promise_in_every_place(shop, wrong):
    right, number = WRONG[wrong]
    code = RIGHT.replace(right, wrong)
    broken = in_the_notebook(code)
    assert (broken.promise, broken.hint) == (PROMISES[number - 1], "90 double")
    form = "wire" if number != 3 else "module"
    found = on_the_package(shop, code, form)
    assert {one.grade_id for one in found} == {"test_double"}
    red = [one.promise for one in found if not one.passed]
    assert red[0] == PROMISES[number - 1]
    assert [one.kept for one in found if one.passed] == [
        (said,) for said in PROMISES if said not in red
    ]


def test_a_right_solution_has_one_line_and_a_wrong_one_shows_which_promises_hold(shop, capsys):
    assert in_the_notebook(RIGHT) is None
    assert capsys.readouterr().out.endswith("5 promises kept, worth 4 of 4 points\n")
    for form in ("module", "wire"):
        assert all(one.passed for one in on_the_package(shop, RIGHT, form))
    in_the_notebook(RIGHT.replace("x + x", "3 * x").replace("halve(halve(x))", "x / 4"))
    line, _, worth = capsys.readouterr().out.strip().partition(", ")
    assert worth == "worth 2.4 of 4 points"
    assert [sign in "✓[ok]" for sign in line.split()[1::2]] == [False, True, True, False, True]
    assert line.split()[::2] == list("12345")


def test_an_unwanted_error_names_the_call_and_a_forgotten_return_is_where_to_look(shop):
    code = RIGHT.replace("return x + x", "raise KeyError('lost')")
    told = in_the_notebook(code)
    assert told.call.startswith("double([") and "KeyError: 'lost'" in told.got
    (first, *_) = on_the_package(shop, code, "wire")
    assert first.call == told.call and "raise KeyError('lost')" in first.look
    assert in_the_notebook(RIGHT.replace("return x + x", "x + x")).look == laws.NO_RETURN


def test_a_stub_is_your_turn_and_a_name_that_is_not_defined_is_said(shop):
    code = RIGHT.replace("return x + x", 'raise NotImplementedError("your turn: double")')
    told = in_the_notebook(code.replace("if isinstance(x, str):\n", "if 0:\n"))
    assert isinstance(told, YourTurn)
    told = in_the_notebook(RIGHT.replace("def double", "def twofold"))
    assert told.promise == "double is not defined here" and "run the cells above" in told.look


def test_what_a_law_changes_in_the_kernel_is_put_back(shop):
    noise = "np.random.seed(5); import random, tracemalloc; random.seed(5); tracemalloc.start();"
    numpys, ours = np.random.get_state()[1].tolist(), random.getstate()
    assert in_the_notebook(RIGHT.replace("return x + x", f"{noise} return x + x")) is not None
    assert np.random.get_state()[1].tolist() == numpys and random.getstate() == ours
    assert not tracemalloc.is_tracing()


def test_a_law_with_a_process_of_its_own_is_left_out_and_says_why(shop, capsys):
    text = (shop / "test_1a_double.py").read_text(encoding="utf-8")
    text = text.replace("def test_twice(tt, draw)", "def test_twice(tt, draw, peak_memory)")
    (shop / "test_1a_double.py").write_text(text, encoding="utf-8")
    assert in_the_notebook(RIGHT) is None
    said = capsys.readouterr().out
    assert "4 promises kept" in said and "1 · it measures the memory" in said


def test_an_exercise_without_laws_or_with_two_files_is_refused(shop):
    ask = {"check": checker("90_shop")}
    with pytest.raises(ValueError, match="'9z' is none of 1a"):
        exec("check('9z')", ask)
    (shop / "test_1a_double.py").rename(shop / "test_1a_a.py").with_name("test_1a_b.py").touch()
    with pytest.raises(ValueError, match=r"is test_1a_a.py, test_1a_b.py$"):
        exec("check('1a')", ask)


def test_the_notebook_as_a_script_has_a_line_for_each_promise_and_exits_with_1(shop, tmp_path):
    code = RIGHT.replace("x + x", "x + missing")
    script = tmp_path / "modules" / "90_shop" / "shop_dev.py"
    place = f"from pathlib import Path; laws.folder_of = lambda module: Path({str(shop)!r})"
    script.write_text(
        f"from tinytorch import laws; {place}\nfrom tinytorch.testing import finish\n{code}\n"
        'check = laws.checker("90_shop")\ncheck("1a")\nfinish()\n',
        encoding="utf-8",
    )
    done = python(script, PYTHONPATH=os.pathsep.join(sys.path))
    assert done.returncode == 1, done.stderr
    for said in PROMISES:
        (line,) = [line for line in done.stdout.splitlines() if said in line]
        assert ("✗" in line) == (said in PROMISES[::2])
    assert ", in double: return x + missing" in done.stdout


@given(array=hnp.arrays("int64", hnp.array_shapes(min_side=1)), data=st.data())
def test_an_array_with_another_dtype_shape_or_entry_is_not_the_same(array, data):
    assert not same(array.astype(float), array)
    assert not same(array[None], array)
    assert not same(array.tolist(), array)
    other = array.copy()
    other.flat[data.draw(st.integers(0, array.size - 1))] ^= 1
    assert not same(other, array)
    assert not same([array, [other]], [array, [array]])
    assert same([array, {"a": np.nan}], [array.copy(), {"a": float("nan")}])
    assert same(np.array([np.nan]), np.array([np.nan])) and not same({"a": 1}, {"b": 1})


def test_a_tape_fails_once_and_each_row_of_a_table_is_a_case_that_may_miss_by_1_percent():
    tape = Tape("ab", OSError("gone"))
    assert (next(tape), next(tape)) == ("a", "b")
    assert raised_by(lambda: next(tape)) == "OSError: gone"
    assert (list(tape), tape.reads) == ([], 4)
    cases = list(worked(math, "hypot", [(3, 4.0, 5), (0.1 * 3, 0, 0.3)]))
    assert [(call, got()) for call, got, _, _ in cases] == [
        ("hypot(3, 4)", 5.0),
        ("hypot(0.3, 0)", math.hypot(0.1 * 3, 0)),
    ]
    _, _, _, holds = cases[0]
    assert all(map(holds, (5.0, np.float64(5.04), 4.96)))
    assert not any(map(holds, (5.06, 4.94, None, "5", [5])))
