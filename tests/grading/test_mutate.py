"""`tito dev mutate`: laws of the mutants that are made, and a course whose tests are weak, strong,
or never end.
"""

import ast
import collections
import functools
import itertools
import json
import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring.mutate import equivalent, mutation_report
from grading.authoring.mutate.mutants import Mutant, asked, generate
from grading.authoring.mutate.mutation_report import mutate, record, recorded, selected
from grading.commands import dev_mutate
from grading.engine.course.references import read_source, secrets_of, source_path
from helpers.inboxes import put
from helpers.module_copies import copied, edit, laws_of, run_verb
from tito.errors import UsageError, WorkError
from tito.notebook.cells import Cell, parse_percent
from tito.workspace import Module, find_workspace

HERE = find_workspace(__file__)
MODULES = [module for module in HERE.modules() if source_path(module).is_file()]
SURVIVOR = "clip_values/conversion-dropped-1"  # `values` in place of `np.asarray(values)`


# Laws of the mutants


@functools.cache
def of_course(name: str) -> list[Mutant]:
    return generate(read_source(HERE.module(name)))


# what is between the markers, and the defaults of arguments
OUTSIDE = re.compile(r"### BEGIN SOLUTION.*?### END SOLUTION|=[^,)\n]*", re.DOTALL)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.number)
def test_each_mutant_is_another_program_and_changes_only_its_solution(module):
    cells = read_source(module)
    stubs = {one.name: {stub.index: stub.source for stub in one.stubs} for one in asked(cells)}
    shapes = collections.Counter()
    for mutant in of_course(module.name):
        exercise, ((index, text),) = mutant.exercise, mutant.changes.items()
        assert mutant.olds == {index: stubs[exercise][index]}
        compile(text, mutant.name, "exec")
        assert OUTSIDE.sub("", text) == OUTSIDE.sub("", mutant.olds[index]), mutant.name
        (old, old_said), (new, said) = shape(mutant.olds[index]), shape(text)
        assert new != old, mutant.name
        shapes[index, new] += 1
        # no message changes; an error of others may be replaced by one's own
        assert said - old_said <= {"'it failed'"}, mutant.name
    assert max(shapes.values()) == 1  # the same mutant is made once
    names = {mutant.name: mutant.exercise for mutant in of_course(module.name)}
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
    "bound": ("return a[:b]", "return a[:b - 1]"),
    "rounding": ("return a // b", "return (-(-a // b))"),
    "operands": ("return a / b", "return b / a"),
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


def test_a_sample_is_a_part_of_all_and_the_same_each_time():
    mutants = of_course(MODULES[0].name)
    names = [[one.name for one in selected(mutants, sample=n)] for n in (1, 7, 50, 10_000)]
    for smaller, larger in itertools.pairwise(names):
        assert set(smaller) < set(larger)
    assert [len(one) for one in names] == [1, 7, 50, len(mutants)]
    assert names[1] == [one.name for one in selected(list(reversed(mutants)), sample=7)][::-1]


# A course


EQUAL_LIMITS = """import numpy as np
import pytest

from tinytorch.testing import expect


@pytest.mark.contract("test_clip_values")
def test_limits_may_be_equal(tt):
    got = np.asarray(tt.clip_values(np.array([0, 1]), 2, 2)).tolist()
    expect(got == [2, 2], "A value outside low..high moves to the nearer limit, the others stay.")
"""
WRONG_ORDER = """

@pytest.mark.contract("test_clip_values")
def test_limits_in_the_wrong_order(tt):
    with pytest.raises(ValueError):
        tt.clip_values([0], 2, 1)
"""
ONE_LAW = """from tinytorch.laws import law


@law(1, "the nearer limit", look="compare the value with low, then with high")
def test_a_value_at_a_limit_stays(tt, draw):
    yield "clip_values([1], 1, 2)", lambda: tt.clip_values([1], 1, 2).tolist(), [1]
"""


def weak(module: Module, tmp_path) -> Module:
    """A copy of the module with a single law, which notices two of the mutants."""
    copy = copied(module, tmp_path)
    laws_of(copy).write_text(ONE_LAW, encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def sound(sample_module, tmp_path_factory) -> mutation_report.Report:
    return mutate(sample_module, tmp_path_factory.mktemp("sound").resolve() / "runs", jobs=2)


def test_each_mutant_has_the_test_that_kills_it_and_the_sentence(sound):
    killed = {one.mutant.name: one.kills[0] for one in sound.verdicts if one.kills}
    assert killed["clip_values/compare-boundary-1"].by == "notebook"
    dropped = killed["clip_values/check-dropped-1"]
    assert (dropped.by, dropped.test) == ("notebook", "test_clip_values")
    assert dropped.promise == "low > high is a ValueError that says both limits."
    assert sound.promises[dropped.promise] >= 1
    assert [one.mutant.name for one in sound.survivors] == [SURVIVOR]
    assert "- " in sound.survivors[0].mutant.diff() and len(sound.problems) == 1


def test_a_weak_law_leaves_its_mutants_and_hidden_tests_are_the_last(sample_module, tmp_path):
    module = weak(sample_module, tmp_path)
    put(module.tests / "test_equal_limits.py", EQUAL_LIMITS)
    put(secrets_of(module) / "tests" / "test_a_copy.py", EQUAL_LIMITS + WRONG_ORDER)
    result = mutate(module, tmp_path / "runs")
    killed = collections.defaultdict(set)
    for one in result.verdicts:
        killed[result.state(one)].add(one.mutant.name.removeprefix("clip_values/"))
    assert killed == {
        "notebook": {"condition-negated-1", "opposite-1"},
        "public": {"compare-boundary-1", "opposite-2"},
        "hidden": {"check-dropped-1", "raise-type-1"},
        "survive": {"conversion-dropped-1"},
    }


def test_tests_that_fail_for_the_reference_stop_the_run(sample_module, tmp_path):
    broken = copied(sample_module, tmp_path)
    edit(laws_of(broken), ("2, 2, [2, 2]", "2, 2, [2, 3]"))
    with pytest.raises(WorkError, match=r"test_clip_values does not.*tito dev check 09"):
        mutate(broken, tmp_path / "runs", sample=1)


# Mutants that are listed as equivalent

VALUES = "values = rng.normal(size=5)\nreturn tt.clip_values(values, -1, rng.random())"


def listed(module: Module, checks: dict[str, tuple[str, str]]) -> None:
    """List each mutant with its change (none: the one that it makes) and its check."""
    made = {one.name: one.change for one in generate(read_source(module))}
    entries = [
        f"[\"{name}\"]\nchange = '''\n{change or made[name]}\n'''\n"
        f'reason = "NumPy\'s functions take lists."\ncheck = "{number}"\n'
        for number, (name, (change, _)) in enumerate(checks.items())
    ]
    texts = [f"{n} = '''\n{check}\n'''\n" for n, (_, check) in enumerate(checks.values())]
    put(equivalent.path_of(module), "".join(["[checks]\n", *texts, *entries]))


# For each mutant of the module with one law: its change (none: the one that it makes), its check,
# and the fault.
LOOKED_AT = {
    "conversion-dropped-1": ("", VALUES, None),
    "check-dropped-1": ("", "rng.random()\nreturn tt.clip_values([1], 0, 2)", "same for each seed"),
    "raise-type-1": ("", "return nothing", "gives no answer for any seed: NameError"),
    "opposite-2": ("", "import os\nos._exit(3)", "does not run on the reference"),
    "compare-boundary-19": ("- a", VALUES, "no such mutant is made"),
    "opposite-1": ("- one\n+ two", VALUES, r"is another change now.*\+     return np\.maximum\("),
    "condition-negated-1": ("", VALUES, "test_clip_values kills it"),
    "compare-boundary-1": (
        "",
        "n = int(rng.integers(0, 2))\nreturn tt.clip_values([0], n, 1)",
        "tells it from the reference; with seed .*"
        "the mutant ValueError: low must not exceed high, got low 1 and high 1",
    ),
}


def test_a_listed_mutant_is_looked_at(sample_module, tmp_path):
    module = weak(sample_module, tmp_path)
    listed(module, {f"clip_values/{name}": looked[:2] for name, looked in LOOKED_AT.items()})
    result = mutate(module, tmp_path / "runs", only=["clip_values"])
    assert (result.counts["equivalent"], result.survivors) == (5, [])
    for name, (_, _, fault) in LOOKED_AT.items():
        said = [one for one in result.faults if one.startswith(f"clip_values/{name} ")]
        assert bool(said) == bool(fault)
        assert fault is None or re.search(fault, said[0], re.DOTALL), said


@pytest.mark.parametrize(
    "text, says",
    [
        ("[", r"equivalent\.toml must be TOML"),
        ('["a/b"]\nreason = "x"', r'change, reason, check; .*\["a/b"\]: change is None'),
        ('["a/b"]\nchange = "x"\nreason = "x"\ncheck = "c"', r"names 'c'\. There are: none"),
        ('["a/b"]\nchange = "x"\nreason = "TODO: why"\ncheck = "c"', "reason is 'TODO: why'"),
    ],
)
def test_a_list_that_cannot_be_read_says_what_is_wrong(sample_module, tmp_path, text, says):
    module = copied(sample_module, tmp_path)
    put(equivalent.path_of(module), text)
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
    assert (kept.is_stale, json.loads(first)["survivors"]) == (False, [SURVIVOR])
    assert kept.promises == dict(sound.promises)
    assert json.loads(first)["counts"]["made"] == len(sound.verdicts)
    source, laws = source_path(module), laws_of(module)
    edit(source, ("Return `values` with", "Give `values` with"), ("# TODO: two", "# TODO: four"))
    edit(laws, ("Laws of exercise 1a", "The laws of exercise 1a"))
    record(module, sound)
    assert path.read_text(encoding="utf-8") == first
    for file, change in ((source, ("if low > high", "if high < low")), (laws, ("2, 2)", "3, 3)"))):
        before = file.read_text(encoding="utf-8")
        edit(file, change)
        assert recorded(module).is_stale
        file.write_text(before, encoding="utf-8")
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(WorkError, match="tito dev mutate 09 --record"):
        recorded(module)


# The command


def test_the_command_prints_the_table_and_each_survivor(
    sample_module, sound, tmp_path, monkeypatch, capsys
):
    module = copied(sample_module, tmp_path)
    monkeypatch.chdir(module.root)
    with monkeypatch.context() as patched:
        patched.setattr(mutation_report, "mutate", lambda *_, **__: sound)
        assert run_verb(dev_mutate, "09", "--record") == 1
    out = capsys.readouterr().out
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert " ".join(mutation_report.COLUMNS) in rows
    entry = out[out.index(f'["{SURVIVOR}"]') :].split("\n\n")[0]
    assert "\n+     return np.minimum(np.maximum(values, low), high)\n" in entry
    assert "kept in grading/modules/09_spatial/mutants.json" in rows
    assert not recorded(module).is_stale
    pasted = re.sub('"TODO: the name.*"', '"own"', entry).replace("TODO: ", "")
    text = f"[checks]\nown = '''\n{VALUES}\n'''\n\n{pasted}\n"
    put(equivalent.path_of(module), text)
    # 1 of so few is more than 10%
    assert run_verb(dev_mutate, "09", "--only", "clip_values") == 1
    assert "at most 10% of the mutants may be listed as equivalent; 1 of" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, error, says",
    [
        ("--only nothing", WorkError, "nothing is none of: clip_values"),
        ("--jobs -1", UsageError, "--jobs is 1 or more, got -1"),
        ("--record --sample 2", UsageError, "keeps the result of all mutants"),
    ],
)
def test_wrong_usage_gets_a_sentence(sample_module, monkeypatch, words, error, says):
    monkeypatch.chdir(sample_module.root)
    with pytest.raises(error, match=says):
        run_verb(dev_mutate, "09", *words.split())
