"""`tito dev mutate`: laws of the mutants that are made, and a course whose tests are weak, strong,
or never end.
"""

import argparse
import ast
import collections
import functools
import itertools
import os
import re
import sys
import textwrap

import pytest
from copies import copied, edit, laws_of
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring.mutate import equivalent, report, run
from grading.authoring.mutate.code import without_prose
from grading.authoring.mutate.mutants import Mutant, asked, generate
from grading.authoring.mutate.report import mutate, record, recorded, selected
from grading.commands import dev_mutate
from grading.engine.course.references import secrets_of, source_path
from tito.errors import EnvironmentBroken, UsageError, WorkError
from tito.notebook.cells import Cell, parse_percent, read_percent
from tito.workspace import Module, find_workspace

HERE = find_workspace(__file__)
MODULES = [module for module in HERE.modules() if source_path(module).is_file()]
SURVIVOR = "clip_values/conversion-dropped-1"  # `values` in place of `np.asarray(values)`
BOUNDARY = "clip_values/compare-boundary-1"  # `low >= high` in place of `low > high`


# Laws of the mutants


@functools.cache
def of_course(name: str) -> list[Mutant]:
    return generate(read_percent(source_path(HERE.module(name))))


# what stands between the markers, and the defaults of arguments
OUTSIDE = re.compile(r"### BEGIN SOLUTION.*?### END SOLUTION|=[^,)\n]*", re.DOTALL)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.number)
def test_each_mutant_is_another_program_and_changes_only_its_solution(module):
    cells = read_percent(source_path(module))
    stubs = {one.name: {stub.index: stub.source for stub in one.stubs} for one in asked(cells)}
    shapes = collections.Counter()
    for mutant in of_course(module.name):
        (exercise,), ((index, text),) = mutant.exercises, mutant.changes.items()
        assert mutant.olds == {index: stubs[exercise][index]}
        compile(text, mutant.name, "exec")
        assert OUTSIDE.sub("", text) == OUTSIDE.sub("", mutant.olds[index]), mutant.name
        (old, old_said), (new, said) = shape(mutant.olds[index]), shape(text)
        assert new != old, mutant.name
        shapes[index, new] += 1
        # no message changes; an error of others may be replaced by one's own
        assert said - old_said <= {"'it failed'"}, mutant.name
    assert max(shapes.values()) == 1  # the same mutant is made once
    names = {mutant.name: mutant.exercises[0] for mutant in of_course(module.name)}
    assert len(names) == shapes.total() and {*names.values()} == {*stubs}  # each exercise has some


def shape(text: str) -> tuple[str, set[str]]:
    """The program of a cell, and what its errors say."""
    tree = ast.parse(text)
    errors = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    calls = [error for error in errors if isinstance(error, ast.Call)]
    return ast.dump(tree), {ast.unparse(argument) for one in calls for argument in one.args}


@given(st.integers(0, 4), st.sampled_from(["# n < 0 or 1 + 1", ""]))
def test_a_name_stays_when_an_unrelated_line_is_added(place, line):
    body = "found = []\nfor k in range(0, a):\n    if k < b:\n        found.append(k)\nreturn found"
    lines = body.splitlines()
    deep = lines[place]
    lines.insert(place, " " * (len(deep) - len(deep.lstrip())) + line)
    before, after = (
        {one.name: equivalent.code_of(one.change) for one in generate(solved(some))}
        for some in (body, "\n".join(lines))
    )
    assert len(before) > 10 and after == before


TRY, FOREIGN = "try:\n    b = a[0]\nexcept KeyError:\n    b.close()", "return a(b)"
OPERATORS = {
    "compare-boundary": ("return a < b", "return a <= b"),
    "number": ("return a[2:]", "return a[1:]"),
    "bound": ("return a[:b]", "return a[:b - 1]"),
    "arithmetic": ("return a - b", "return a + b"),
    "rounding": ("return a // b", "return (-(-a // b))"),
    "operands": ("return a / b", "return b / a"),
    "and-or": ("return a and b", "return a or b"),
    "part-dropped": ("return 0 <= a < b", "return 0 <= a"),
    "condition-negated": ("if a:\n    b = 1\nreturn b", "if not (a):\n    b = 1\nreturn b"),
    "filter-dropped": ("return [x for x in a if x]", "return [x for x in a if True]"),
    "statement-dropped": ("a.close()\nreturn b", "pass\nreturn b"),
    "check-dropped": ("if a:\n    raise ValueError('no')\nreturn b", "pass\nreturn b"),
    "context-dropped": ("with a.lock:\n    b()", "if True:\n    b()"),
    "copy-dropped": ("return np.array(a)", "return np.asarray(a)"),
    "conversion-dropped": ("return int(a + b)", "return (a + b)"),
    "arguments-swapped": ("return f(a, b)", "return f(b, a)"),
    "argument-dropped": ("return f(a, key=b)", "return f(a, )"),
    "axis": ("return a.mean(axis=b)", "return a.mean(axis=0)"),
    "dtype": ("return a.astype(np.int64)", "return a.astype(np.int32)"),
    "opposite": ("return min(a, b)", "return max(a, b)"),
    "early-return": ("for x in a:\n    b(x)", "for x in a:\n    b(x)\n    break"),
    "first-only": ("return [f(x) for x in a]", "return [f(x) for x in [*a][:1]]"),
    "exception-widened": (TRY, TRY.replace("KeyError", "Exception")),
    "exception-swallowed": (TRY, TRY.replace("b.close()", "pass")),
    "foreign-error-swallowed": (FOREIGN, f"try:\n    {FOREIGN}\nexcept Exception:\n    return"),
    "foreign-error-replaced": (
        FOREIGN,
        f"try:\n    {FOREIGN}\nexcept Exception as problem:\n"
        '    raise RuntimeError("it failed") from problem',
    ),
    "raise-type": ("raise ValueError(a)", "raise TypeError(a)"),
    "cause-dropped": ("raise ValueError(a) from b", "raise ValueError(a) from None"),
    "state-kept": (
        "found = []\nreturn found",
        'found = solve.__dict__.setdefault("_found", [])\nreturn found',
    ),
    "list-for-generator": (
        "for x in range(a):\n    yield x",
        "made = []\nfor x in range(a):\n    made.append(x)\nreturn iter(made)",
    ),
    "generator-for-list": ("return [x for x in a]", "return (x for x in a)"),
    "default": ("return seed", None),
    "element-dropped": ("return f([a, b])", "return f([b])"),
    "mixed": ("return f([a, b])", "return f(a + b)"),
    "boolean": ("return a(x=True)", "return a(x=False)"),
    "keyword": ("for x in a:\n    break", "for x in a:\n    return"),
    "branch": ("return a if b else 1", "return a if (b) and False else 1"),
    "augmented": ("a += b\nreturn a", "a = b\nreturn a"),
    "not-dropped": ("return not a", "return a"),
}
CELL = '''\
# %% [markdown]
"""
### 1a solve: it
"""

# %% nbgrader={{"grade_id": "solve", "solution": true}}
#| export
def solve(a, b, seed: int | None = None):
    """One line, 1 < 2."""
    # TODO
    ### BEGIN SOLUTION
{body}
    ### END SOLUTION

# %% nbgrader={{"grade_id": "test_solve", "grade": true, "points": 1}}
check(test_solve, hint="09 solve")
'''


def solved(body: str, text: str = CELL) -> list[Cell]:
    """The cells of one exercise with this solution."""
    return parse_percent(text.format(body=textwrap.indent(body, "    ")))


def bodies(body: str, operator: str) -> list[str]:
    """The bodies that an operator makes of the body of a function."""
    made = [one for one in generate(solved(body)) if one.name.startswith(f"solve/{operator}-")]
    texts = [text for one in made for text in one.changes.values()]
    inner = [text.split("SOLUTION\n")[1].rpartition("\n")[0] for text in texts]
    return [textwrap.dedent(text) for text in inner]


@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_makes_its_change(operator):
    old, new = OPERATORS[operator]
    assert (new or old) in bodies(old, operator)


def test_what_does_not_compile_is_no_mutant():
    assert bodies("while a:\n    b()\n    break", "early-return") == []


def test_an_attribute_takes_the_place_of_a_local_that_lasts_through_a_generator():
    text = CELL.replace("def solve(a, b", "def solve(self, a, b")
    body = "order = b()\nfor x in order:\n    y = a[x]\n    yield y"
    changes = [m.change for m in generate(solved(body, text)) if "attribute-for-local" in m.name]
    assert len(changes) == 1  # x and y get a value in each pass before they are used
    assert "+     self._order = b()\n+     for x in self._order:" in changes[0]


@given(st.text("abc #\n", max_size=20))
def test_the_hash_is_of_code_and_not_of_prose(words):
    def cell(body: str, prose: str) -> str:
        comment = "\n    # ".join(prose.split("\n"))
        return f"def solve(a, b):\n    {prose!r}\n    # {comment}\n    {body}"

    assert without_prose(cell("return a", "one")) == without_prose(cell("return a", words))
    assert without_prose(cell("return a", words)) != without_prose(cell("return b", words))


def test_a_sample_is_a_part_of_all_and_the_same_each_time():
    mutants = of_course(MODULES[0].name)
    names = [[one.name for one in selected(mutants, sample=n)] for n in (1, 7, 50, 10_000)]
    for smaller, larger in itertools.pairwise(names):
        assert set(smaller) < set(larger)
    assert [len(one) for one in names] == [1, 7, 50, len(mutants)]
    assert names[1] == [one.name for one in selected(list(reversed(mutants)), sample=7)][::-1]


# A course


# In the form of a course without laws: a test that the notebook shows, and a contract test.
SHOWN_TEST = """def test_clip_values():
    try:
        clip_values(np.zeros(1), 2, 1)
    except ValueError:
        return
    raise AssertionError("no error")


check(test_clip_values, hint="09 clip_values")
"""
EQUAL_LIMITS = """import numpy as np
import pytest

from tinytorch.testing import expect


@pytest.mark.contract("test_clip_values")
def test_limits_may_be_equal(tt):
    got = np.asarray(tt.clip_values(np.array([0, 1]), 2, 2)).tolist()
    expect(got == [2, 2], "A value outside low..high moves to the nearer limit, the others stay.")
"""


def weak(module: Module, tmp_path) -> Module:
    """A copy of the module whose laws never see equal limits."""
    copy = copied(module, tmp_path)
    edit(laws_of(copy), ("([0, 1], 2, 2, [2, 2]),", ""), ("[0, 1], 2, 2", "[0, 1], 2, 3"))
    return copy


def states(result: report.Report) -> dict[str, str]:
    return {one.mutant.name: result.state(one) for one in result.verdicts}


@pytest.fixture(scope="module")
def sound(sample_module, tmp_path_factory) -> report.Report:
    return mutate(sample_module, tmp_path_factory.mktemp("sound").resolve() / "runs", jobs=2)


def test_each_mutant_has_the_test_that_kills_it_and_the_sentence(sound):
    killed = {one.mutant.name: one.kills[0] for one in sound.verdicts if one.kills}
    assert killed[BOUNDARY].by == "notebook"
    dropped = killed["clip_values/check-dropped-1"]
    assert (dropped.by, dropped.test) == ("notebook", "test_clip_values")
    assert dropped.promise == "low > high is a ValueError that says both limits."
    assert sound.promises[dropped.promise] >= 1
    assert [one.mutant.name for one in sound.survivors] == [SURVIVOR]
    assert "- " in sound.survivors[0].mutant.diff() and len(sound.problems) == 1


def test_a_weak_law_leaves_its_mutant_and_hidden_tests_are_the_last(sample_module, tmp_path):
    module = weak(sample_module, tmp_path)
    public = module.tests / "test_equal_limits.py"
    hidden = secrets_of(module) / "tests" / "test_a_copy.py"
    hidden.parent.mkdir(parents=True)
    for files, killed_by in (([], "survive"), ([hidden, public], "public"), ([hidden], "hidden")):
        public.unlink(missing_ok=True)
        for path in files:
            path.write_text(EQUAL_LIMITS, encoding="utf-8")
        result = mutate(module, tmp_path / killed_by)
        assert states(result)[BOUNDARY] == killed_by
    assert result.counts["public"] == 0


def test_a_mutant_that_never_ends_is_killed_by_its_time_limit(sample_module, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "CPU_SECONDS", 1.0)
    loop = """left, result = 1, np.array(values)
    while left:
        result = np.minimum(np.maximum(result, low), high)
        left -= 1
    return result"""
    line = "return np.minimum(np.maximum(np.asarray(values), low), high)"
    result = mutate(copied(sample_module, tmp_path, (line, loop)), tmp_path / "runs")
    (endless,) = [
        one for one in result.verdicts if "-         left -= 1\n+         pass" in one.mutant.change
    ]
    assert endless.kills[0].status == "timeout"


def test_tests_that_fail_for_the_reference_stop_the_run(sample_module, tmp_path):
    broken = copied(sample_module, tmp_path)
    edit(laws_of(broken), ("2, 2, [2, 2]", "2, 2, [2, 3]"))
    with pytest.raises(WorkError, match=r"test_clip_values does not.*tito dev check 09"):
        mutate(broken, tmp_path / "runs")


def test_files_lose_points_or_keep_them(sample_module, tmp_path):
    head = "def clip_values(values, low, high):\n"
    wrong = f"{head}    return np.minimum(np.maximum(values, low), high)\n"
    check = "    if low > high:\n        raise ValueError(f'{low} {high}')\n"
    texts = {
        "no_check": wrong,
        "with_headers": f"# %% one: X. (promise 4)\n{wrong}",
        "right": f"{head}{check}    return np.clip(values, low, high)\n",
    }
    (folder := tmp_path / "files").mkdir()
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    result = mutate(sample_module, tmp_path / "runs", files=folder)
    killed = {"no_check": "notebook", "with_headers/one": "notebook"}
    assert states(result) == killed | {"right": "survive"}
    assert [one.loses_points for one in result.verdicts] == [True, False, True]
    assert "1 of 3 do" in result.problems[0]
    # red in the notebook alone is no loss
    shown = weak(sample_module, tmp_path)
    laws_of(shown).unlink()
    edit(source_path(shown), ('}\ncheck("1a")', f"}}\n{SHOWN_TEST}"))
    result = mutate(shown, tmp_path / "again", files=folder)
    assert states(result)["no_check"] == "survive" and result.verdicts[0].by == "notebook"


# Mutants that are listed as equivalent

CHECK = "values = rng.normal(size=5)\nreturn tt.clip_values({}, -1, rng.random())"


def listed(module: Module, name: str, change: str, check: str) -> None:
    path = equivalent.path_of(module)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"[checks]\nown = '''\n{check}\n'''\n[\"{name}\"]\nchange = '''\n{change}\n'''\n"
        'reason = "NumPy\'s functions take lists."\ncheck = "own"\n',
        encoding="utf-8",
    )


def changes_of(module: Module) -> dict[str, str]:
    return {one.name: one.change for one in generate(read_percent(source_path(module)))}


VALUES = CHECK.format("values")


# Without a change of its own, an entry has the change that the mutant makes.
@pytest.mark.parametrize(
    "name, change, check, fault",
    [
        (SURVIVOR, "", VALUES, None),
        (SURVIVOR, "", CHECK.format("values.tolist()"), None),
        (SURVIVOR, "", "rng.random()\nreturn tt.clip_values([1], 0, 2)", "same for each seed"),
        (SURVIVOR, "", "return nothing", "gives no answer for any seed: NameError"),
        (SURVIVOR, "", "import os\nos._exit(3)", "does not run on the reference"),
        (f"{BOUNDARY}9", "- a", VALUES, "no such mutant is made"),
        (SURVIVOR, "- one\n+ two", VALUES, r"is another change now.*\+     return np\.minimum\("),
        (BOUNDARY, "", VALUES, "test_clip_values kills it"),
        (
            BOUNDARY,
            "",
            "n = int(rng.integers(0, 2))\nreturn tt.clip_values([0], n, 1)",
            "tells it from the reference; with seed .*"
            "the mutant ValueError: low must not exceed high, got low 1 and high 1",
        ),
    ],
)
def test_a_listed_mutant_is_looked_at(sample_module, tmp_path, name, change, check, fault):
    # strong laws would kill the mutant before its check is asked
    copy = weak if fault and "tells it" in fault else copied
    module = copy(sample_module, tmp_path)
    listed(module, name, change or changes_of(module)[name], check)
    result = mutate(module, tmp_path / "runs", only=["clip_values"])
    if fault is None:
        assert (result.faults, result.counts["equivalent"], result.survivors) == ([], 1, [])
    else:
        (said,) = result.faults
        assert re.search(fault, said, re.DOTALL), said


@pytest.mark.parametrize(
    "text, says",
    [
        ("[", r"listed in TOML; .*equivalent\.toml"),
        ('["a/b"]\nreason = "x"', r'change, reason, check; .*\["a/b"\]: change is None'),
        ('["a/b"]\nchange = "x"\nreason = "x"\ncheck = "c"', r"names 'c'\. There are: none"),
    ],
)
def test_a_list_that_cannot_be_read_says_what_is_wrong(sample_module, tmp_path, text, says):
    module = copied(sample_module, tmp_path)
    path = equivalent.path_of(module)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WorkError, match=says):
        equivalent.listed(module)


# The result that is kept


def test_the_kept_result_is_stale_when_code_changes_and_not_when_prose_does(
    sample_module, sound, tmp_path
):
    module = copied(sample_module, tmp_path)
    assert recorded(module) is None
    path = record(module, sound)
    first = path.read_text(encoding="utf-8")
    kept = recorded(module)
    assert (kept.is_stale, kept.survivors) == (False, [SURVIVOR])
    assert kept.promises == dict(sound.promises) and kept.counts["made"] == len(sound.verdicts)
    source, laws = source_path(module), laws_of(module)
    edit(source, ("Return `values` with", "Give `values` with"), ("# TODO: two", "# TODO: four"))
    edit(source, ("A section begins with its story", "A story comes first"))
    edit(laws, ("Laws of exercise 1a", "The laws of exercise 1a"))
    assert not recorded(module).is_stale
    record(module, sound)
    assert path.read_text(encoding="utf-8") == first
    for file, change in {
        source: ("if low > high", "if high < low"),
        laws: ("2, 2)", "3, 3)"),
    }.items():
        before = file.read_text(encoding="utf-8")
        edit(file, change)
        assert recorded(module).is_stale
        file.write_text(before, encoding="utf-8")
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(WorkError, match="tito dev mutate 09 --record"):
        recorded(module)


# The command


def command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    dev_mutate.add_arguments(parser)
    return dev_mutate.run(parser.parse_args(words))


def test_the_command_prints_the_table_and_each_survivor(
    sample_module, tmp_path, monkeypatch, capsys
):
    module = copied(sample_module, tmp_path)
    monkeypatch.chdir(module.root)
    assert command("09", "--jobs", "2", "--record") == 1
    out = capsys.readouterr().out
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert " ".join(report.COLUMNS) in rows and SURVIVOR in rows
    assert "+ return np.minimum(np.maximum(values, low), high)" in rows
    assert "kept in grading/modules/09_spatial/mutants.json" in rows
    assert not recorded(module).is_stale
    listed(module, SURVIVOR, changes_of(module)[SURVIVOR], VALUES)
    # 1 of so few is more than 10%
    assert command("09", "--only", "clip_values") == 1
    assert "at most 10% of the mutants may be listed as equivalent; 1 of" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, error, says",
    [
        ("--only nothing", WorkError, "nothing is none of: clip_values"),
        ("--sample 0", UsageError, "--sample is 1 or more, got 0"),
        ("--jobs -1", UsageError, "--jobs is 1 or more, got -1"),
        ("--record --sample 2", UsageError, "keeps the result of all mutants"),
        ("--files nowhere", UsageError, "names a folder; nowhere is none"),
        ("--files modules/09_spatial/tests", WorkError, "at least one name must be the reference"),
        ("--files empty", UsageError, "empty has none"),
    ],
)
def test_wrong_usage_gets_a_sentence(sample_module, tmp_path, monkeypatch, words, error, says):
    module = copied(sample_module, tmp_path)
    (module.root / "empty").mkdir()
    monkeypatch.chdir(module.root)
    with pytest.raises(error, match=says):
        command("09", *words.split())


def test_without_mutmut_or_without_forks_the_command_says_so(sample_module, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "mutmut.mutation", None)
        with pytest.raises(
            EnvironmentBroken, match=r"which cannot be imported .*\. Install it: python"
        ):
            mutate(sample_module, tmp_path / "runs")
    monkeypatch.delattr(os, "fork")
    with pytest.raises(EnvironmentBroken, match="Linux or macOS"):
        mutate(sample_module, tmp_path / "again")


@pytest.mark.long
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.number)
def test_a_sample_of_the_courses_own_mutants_is_killed(module, tmp_path):
    result = mutate(module, tmp_path.resolve() / "runs", sample=60, jobs=2)
    assert len(result.verdicts) == 60 and result.faults == []
    kept = recorded(module)
    known = set(kept.survivors) if kept else set()
    left = [one.mutant.name for one in result.survivors if one.mutant.name not in known]
    # Without a kept result, nobody has looked at the survivors yet.
    assert len(left) <= (0 if kept else 12), left
