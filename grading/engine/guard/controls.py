"""Mutation controls: a test that passed is run again with a wrong expectation and then must fail.

A test cell is instrumented once: each expectation that is certainly reached gets a switch. In the
kernel, the cell's code runs as a function in a forked child with one switch turned, so that it
cannot change the student's process. If it passes with a wrong expectation, this is confirmed before
it counts: the unchanged cell must pass, and the wrong one must pass a second time. So a test that
cannot be repeated raises no flag.

    assert f(3) == 6                     not (f(3) == 6), and f(3) == 1013
    expect(got == want, "...")           not (got == want), and got == another value
    np.testing.assert_allclose(a, b)     b far away from b
    expect_raises(ValueError, f, ...)    an error that is never raised
"""

from __future__ import annotations

import ast
import inspect
import random
import secrets
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

PER_CELL = 3
DEAR_SECONDS = 0.5  # a cell that took longer is not run again
_SWITCH = "_tito_switch"
_EXPECT = {"expect"}
_RAISES = {"expect_raises", "raises", "assert_raises", "assertRaises"}
_EQUAL = set(
    """
    assert_equal assert_array_equal assert_allclose assert_almost_equal
    assert_array_almost_equal assert_approx_equal assert_array_almost_equal_nulp
    assertEqual array_equal allclose isclose
    """.split()
)
_SWALLOWS = {"suppress", "raises", "warns", "assertRaises", "assert_raises", "catch"}
# Names with lasting effects on files, other processes or the screen: a fork separates only memory.
_LASTING = set(
    """
    Pool Popen Process check_call check_output connect copyfile dump exit fork input
    makedirs memmap mkdir open remove rename rmdir rmtree run save savefig savetxt savez
    savez_compressed show symlink_to system to_csv to_parquet tofile touch unlink urlopen
    write write_bytes write_text
    """.split()
)


@dataclass(frozen=True)
class Site:
    """One expectation that can be made wrong."""

    # "not": the condition is negated; "other": another expected value; "error": an error that is
    # never raised
    kind: str
    text: str  # source of the altered expression


@dataclass(frozen=True)
class Switched:
    """A test cell rewritten as the body of a function, so that any one expectation can be made
    wrong.
    """

    body: str
    sites: tuple[Site, ...]


@lru_cache(maxsize=512)
def switched(source: str) -> Switched | None:
    """The instrumented cell; None if nothing can be altered or a second run could leave traces."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute))
    }
    if (names & _LASTING and "tempfile" not in names) or _needs_a_module(tree):
        return None
    found: list[tuple[str, ast.expr]] = []
    _sites(tree.body, found, _called(tree.body))
    if not found:
        return None
    lines = [line.encode() for line in source.split("\n")]
    edits = []
    for number, (_, node) in enumerate(found):
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        size = (end_line - node.lineno, end_column)
        edits.append(
            (
                node.lineno,
                node.col_offset,
                1,
                (-size[0], -size[1]),
                f"{_SWITCH}({number}, (".encode(),
            )
        )
        edits.append((end_line, end_column, 0, (node.lineno, node.col_offset), b"))"))
    for line, column, _, _, text in sorted(edits, key=lambda edit: edit[:4], reverse=True):
        lines[line - 1] = lines[line - 1][:column] + text + lines[line - 1][column:]
    code = b"\n".join(lines).decode()
    try:
        instrumented = ast.parse(code)
    except SyntaxError:
        return None
    long_text = any(
        isinstance(node, (ast.Constant, ast.JoinedStr))
        and node.lineno != node.end_lineno
        and (isinstance(node, ast.JoinedStr) or isinstance(node.value, (str, bytes)))
        for node in ast.walk(instrumented)
    )
    body = ast.unparse(instrumented) if long_text else code
    plain = [line.encode() for line in source.split("\n")]
    sites = tuple(Site(kind, _segment(plain, node)) for kind, node in found)
    return Switched(body, sites)


def _segment(lines: list[bytes], node: ast.expr) -> str:
    """The source of an expression on one line, cut to 120 characters (`ast.get_source_segment`
    splits the source each time).
    """
    part = lines[node.lineno - 1 : node.end_lineno]
    part[-1] = part[-1][: node.end_col_offset]
    part[0] = part[0][node.col_offset :]
    return " ".join(b" ".join(part).decode().split())[:120]


def _needs_a_module(tree: ast.Module) -> bool:
    """True if the code cannot be the body of a function."""
    star = any(
        isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)
    )
    return star or any(
        isinstance(node, ast.Await)
        for statement in tree.body
        if not isinstance(statement, ast.AsyncFunctionDef)
        for node in ast.walk(statement)
    )


def _called(body: list[ast.stmt]) -> set[str]:
    """Functions of this cell that its own top level calls or passes to `check`."""
    calls = [
        statement.value
        for statement in body
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    ]
    own = {_callee(call) for call in calls}
    return own | {
        call.args[0].id
        for call in calls
        if call.args and isinstance(call.args[0], ast.Name) and _callee(call) == "check"
    }


def _callee(call: ast.Call) -> str:
    function = call.func
    return (
        function.id
        if isinstance(function, ast.Name)
        else function.attr
        if isinstance(function, ast.Attribute)
        else ""
    )


def _sites(body: Iterable[ast.stmt], found: list[tuple[str, ast.expr]], called: set[str]) -> None:
    """Collect the sites of statements that certainly run when the cell passes."""
    for statement in body:
        if isinstance(statement, ast.Assert):
            _promise(statement.test, found)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            _call(statement.value, found)
        elif isinstance(statement, ast.With):
            errors = [
                item.context_expr
                for item in statement.items
                if isinstance(item.context_expr, ast.Call)
            ]
            found += [
                ("error", call.args[0]) for call in errors if _callee(call) in _RAISES and call.args
            ]
            if not any(
                word in ast.dump(item.context_expr)
                for item in statement.items
                for word in _SWALLOWS
            ):
                _sites(statement.body, found, called)
        elif (
            isinstance(statement, ast.For)
            and isinstance(statement.iter, (ast.Tuple, ast.List))
            and statement.iter.elts
        ):
            if not any(
                isinstance(node, (ast.Break, ast.Continue, ast.Return, ast.Starred))
                for node in ast.walk(statement)
            ):
                _sites(statement.body, found, called)
        elif (
            isinstance(statement, ast.FunctionDef)
            and statement.name in called
            and not statement.decorator_list
            and not any(
                isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(statement)
            )
        ):
            _sites(statement.body, found, set())
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and any(
            isinstance(node, ast.Return) for node in ast.walk(statement)
        ):
            return


def _call(call: ast.Call, found: list[tuple[str, ast.expr]]) -> None:
    name = _callee(call)
    if name in _EXPECT and call.args and not isinstance(call.args[0], ast.Starred):
        _promise(call.args[0], found)
    elif name in _RAISES and len(call.args) > 1:
        found.append(("error", call.args[0]))
    elif name in _EQUAL and name.startswith("assert"):
        _expected(call, found)


def _promise(test: ast.expr, found: list[tuple[str, ast.expr]]) -> None:
    """Collect the sites of a condition: it can be negated; in `a == b and ...` the expected side of
    a comparison can also be replaced by another value.
    """
    found.append(("not", test))
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts:
        if isinstance(part, ast.Compare) and len(part.ops) == 1 and isinstance(part.ops[0], ast.Eq):
            left, right = part.left, part.comparators[0]
            found.append(("other", left if isinstance(left, ast.Constant) else right))
        elif isinstance(part, ast.Call) and _callee(part) in _EQUAL:
            _expected(part, found)


def _expected(call: ast.Call, found: list[tuple[str, ast.expr]]) -> None:
    """Collect the second argument of an equality, unless a tolerance could hide the change."""
    wide = [
        word
        for word in call.keywords
        if word.arg in ("atol", "rtol", "rel", "abs", "decimal", "significant")
        and not (
            isinstance(word.value, ast.Constant)
            and isinstance(word.value.value, (int, float))
            and 0 <= word.value.value <= 20
        )
    ]
    desired = [word.value for word in call.keywords if word.arg in ("desired", "y", "b", "second")]
    plain = not any(isinstance(argument, ast.Starred) for argument in call.args)
    if plain and not wide and (len(call.args) in (2, 3) or desired):
        found.append(("other", call.args[1] if len(call.args) > 1 else desired[0]))


# Its source runs in the kernel, where nothing is imported, so it has no annotations.
def tito_alter(value):  # type: ignore[no-untyped-def]
    """Another value than `value`, for the expected side of a comparison: far away for numbers. Runs
    in the kernel.

    Raises:
        LookupError: there is none that is sure to be unequal.
    """
    if isinstance(value, (bool, type(None))):
        return not value if value is not None else 0
    if isinstance(value, (int, float, complex)):
        other = value + 1000 * (1 + abs(value)) + 7
        if other == other and other != value:
            return other
    elif isinstance(value, str):
        return value + "?"
    elif isinstance(value, bytes):
        return value + b"?"
    elif isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)([tito_alter(value[0]), *value[1:]] if value else [0])
    elif isinstance(value, (dict, set)) and type(value) in (dict, set):
        return {**value, object(): 0} if isinstance(value, dict) else {*value, object()}
    elif type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        import numpy

        if value.size and value.dtype.kind in "biufc":
            other = (
                ~value
                if value.dtype.kind == "b"
                else value.astype(complex if value.dtype.kind == "c" else float)
            )
            other = other if value.dtype.kind == "b" else other + 1000 * (1 + numpy.abs(other)) + 7
            if not numpy.any(other == value) and numpy.any(other == other):
                return other
    elif type(value).__module__ not in ("numpy", "__main__"):
        return object()
    raise LookupError("no value that is sure to be another one")


@lru_cache(maxsize=1)
def _alter_source() -> str:
    return inspect.getsource(tito_alter)


_PROGRAM = """
def {name}():
    import contextlib, io, os, select, signal, time, warnings
{alter}
    class Never(Exception):
        pass
    turned = [-1]
    def switch(kinds):
        def turn(number, value):
            if number != turned[0]:
                return value
            kind = kinds[number]
            return not value if kind == "not" else Never if kind == "error" else tito_alter(value)
        return turn
{cells}
    def passes(cell, kinds, number):
        turned[0] = number
        try:
            nowhere = io.StringIO()
            with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
                cell(switch(kinds))
        except BaseException:
            return False
        return True
    found, back = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if not child:
        try:
            os.close(found)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            for cell, kinds, number, fails, passed in [{chosen}]:
                bad = all(passes(cell, kinds, one) for one in (number, -1, number))
                os.write(back, b"%d," % (passed if bad else fails))
        finally:
            os._exit(0)
    os.close(back)
    said, stop = b"", time.monotonic() + {seconds!r}
    try:
        while select.select([found], [], [], max(0, stop - time.monotonic()))[0]:
            part = os.read(found, 4096)
            said += part
            if not part:
                break
    finally:
        os.close(found)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return "[" + said.decode() + "]"
{answer} = {name}()
"""


@dataclass(frozen=True)
class Control:
    """One wrong expectation of one cell, and the answers that mean that the test failed or
    passed.
    """

    grade_id: str
    cell: int
    number: int
    site: Site
    fails: int
    passes: int

    def sentence(self) -> str:
        words = {
            "not": "is negated",
            "other": "is replaced by another value",
            "error": "is replaced by an error that nobody raises",
        }
        return (
            f"the test also passes when `{self.site.text}` {words[self.site.kind]}; it should fail"
        )


@dataclass(frozen=True)
class ControlProgram:
    """The controls of one notebook: the code to send to its kernel, and how to read the answer."""

    code: str
    expression: str
    controls: tuple[Control, ...]

    def read(self, answer: str | None) -> tuple[list[Control], int, str | None]:
        """Returns the controls that passed, the number made, and what is odd about the answer
        itself.

        If the answer is None (an error, no time, no fork), no control was made. An answer that the
        code cannot give is odd.
        """
        if answer is None:
            return [], 0, None
        try:
            numbers = ast.literal_eval(ast.literal_eval(answer))
            pairs = list(zip(self.controls, numbers, strict=False))
            if len(numbers) > len(self.controls) or any(
                number not in (one.fails, one.passes) for one, number in pairs
            ):
                raise ValueError(answer)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return [], 0, "tests that have to fail gave no answer, or an impossible one"
        return [one for one, number in pairs if number == one.passes], len(pairs), None


@dataclass(frozen=True)
class Passed:
    """A test cell that passed, and the seconds it took."""

    grade_id: str
    source: str
    seconds: float


def affordable(
    passed: list[Passed], rng: random.Random, seconds: float
) -> list[tuple[Passed, int]]:
    """Choose, in random order, which cells get how many controls (up to PER_CELL), so that together
    they take about `seconds`.
    """
    chosen, left = [], seconds
    for one in rng.sample(passed, len(passed)):
        cell = switched(one.source) if one.seconds <= DEAR_SECONDS else None
        count = (
            min(PER_CELL, len(cell.sites), int(left / one.seconds) if one.seconds > 0 else PER_CELL)
            if cell
            else 0
        )
        if count:
            chosen.append((one, count))
            left -= count * one.seconds / 2  # a control ends where it fails, on average half-way
    return chosen


def request(chosen: list[tuple[Passed, int]], rng: random.Random) -> ControlProgram | None:
    """The request for these cells; None when there is nothing to ask."""
    controls, functions = [], []
    kinds = []
    for index, (one, count) in enumerate(chosen):
        cell = switched(one.source)
        assert cell  # `Passed` are cells with sites
        kinds.append([site.kind for site in cell.sites])
        functions += [
            f"    def cell_{index}({_SWITCH}):",
            textwrap.indent(cell.body, " " * 8),
            "        pass",
        ]
        for number in sorted(rng.sample(range(len(cell.sites)), count)):
            controls.append(
                Control(
                    one.grade_id,
                    index,
                    number,
                    cell.sites[number],
                    secrets.randbits(60),
                    secrets.randbits(60),
                )
            )
    if not controls:
        return None
    name, answer = f"_t{secrets.token_hex(8)}", f"_t{secrets.token_hex(8)}"
    rows = ", ".join(
        f"(cell_{one.cell}, {kinds[one.cell]!r}, {one.number}, {one.fails}, {one.passes})"
        for one in controls
    )
    code = _PROGRAM.format(
        name=name,
        answer=answer,
        alter=textwrap.indent(_alter_source(), "    "),
        cells="\n".join(functions),
        chosen=rows,
        seconds=1 + 10 * sum(count * one.seconds for one, count in chosen),
    )
    return ControlProgram(
        code, f"(globals().pop({name!r}, 0), globals().pop({answer!r}, ''))[1]", tuple(controls)
    )
