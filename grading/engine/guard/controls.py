"""Controls: a test cell that passed is run again with a wrong expectation, and then must fail.

    assert f(3) == 6                     f(3) == 7013
    expect(f(3) > 5, "...")              not (f(3) > 5)
    np.testing.assert_allclose(a, b)     b far away from b
    expect_raises(ValueError, f, ...)    an error that is never raised

The cells run as functions in one child, forked from the kernel behind its last cell: what they
change no longer counts. A control runs its cell three times: wrong, unchanged, and wrong again; it
is reported if all three pass, so that a test that cannot be repeated raises no flag. Only
expectations that certainly run are made wrong, so that no honest test passes by leaving one out.
"""

from __future__ import annotations

import ast
import inspect
import random
import secrets
import textwrap
from dataclasses import dataclass
from functools import lru_cache

PER_CELL = 3
DEAR_SECONDS = 1.0  # a cell that took longer is not run again
_SWITCH = "_tito_switch"
_RAISES = {"expect_raises", "raises", "assert_raises", "assertRaises"}
_SWALLOWS = _RAISES | {"suppress", "catch"}
_EQUAL = set(
    """
    assert_equal assert_array_equal assert_allclose assert_almost_equal
    assert_array_almost_equal assert_approx_equal assert_array_almost_equal_nulp
    assertEqual array_equal allclose isclose
    """.split()
)
_TOLERANCES = ("atol", "rtol", "rel", "abs", "decimal", "significant")
_DESIRED = ("desired", "y", "b", "second")
HOW = {
    "not": "is negated",
    "other": "is replaced by another value",
    "error": "is replaced by an error that nobody raises",
}


@dataclass(frozen=True)
class Site:
    """One expectation that can be made wrong: a key of HOW, and the source that is altered."""

    kind: str
    text: str


@dataclass(frozen=True)
class Switched:
    """A test cell as the body of a function whose argument can make any one expectation wrong."""

    body: str
    sites: tuple[Site, ...]


@lru_cache(maxsize=512)
def switched(source: str) -> Switched | None:
    """The instrumented cell; None if nothing in it can be altered."""
    try:
        tree = ast.parse(source)
        switches = _Switches(tree)
        body = ast.unparse(ast.fix_missing_locations(switches.visit(tree)))
        compile(_function("cell", body), "cell", "exec")  # no `import *` and no top-level `await`
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return Switched(body, tuple(switches.sites)) if switches.sites else None


def _function(name: str, body: str) -> str:
    return f"def {name}({_SWITCH}):\n{textwrap.indent(body, '    ')}\n    pass"


def _callee(call: ast.expr) -> str:
    function = call.func if isinstance(call, ast.Call) else None
    return getattr(function, "id", "") or getattr(function, "attr", "")


def _has(tree: ast.AST, *kinds: type[ast.AST]) -> bool:
    return any(isinstance(node, kinds) for node in ast.walk(tree))


class _Switches(ast.NodeTransformer):
    """Puts a switch around each expectation that makes the cell fail when it is wrong."""

    def __init__(self, tree: ast.Module):
        self.sites: list[Site] = []
        calls = [one.value for one in tree.body if isinstance(one, ast.Expr)]
        self._called = {_callee(call) for call in calls} | {
            call.args[0].id
            for call in calls
            if isinstance(call, ast.Call) and _callee(call) == "check" and call.args
            if isinstance(call.args[0], ast.Name)
        }

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Anything else may not run, run later, or catch a failure."""
        return node

    def visit_Module(self, node: ast.AST) -> ast.AST:
        body: list[ast.AST] = node.body  # type: ignore[attr-defined]
        for place, statement in enumerate(body):
            body[place] = self.visit(statement)
            own = isinstance(statement, (ast.FunctionDef, ast.ClassDef))
            if not own and _has(statement, ast.Return):
                break  # what follows may not run
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        certain = node.name in self._called and not node.decorator_list
        return self.visit_Module(node) if certain and not _has(node, ast.Yield) else node

    def visit_For(self, node: ast.For) -> ast.AST:
        certain = isinstance(node.iter, (ast.Tuple, ast.List)) and node.iter.elts
        leaves = _has(node, ast.Break, ast.Continue, ast.Return, ast.Starred)
        return self.visit_Module(node) if certain and not leaves else node

    def visit_With(self, node: ast.With) -> ast.AST:
        calls = [item.context_expr for item in node.items]
        for call in calls:
            if isinstance(call, ast.Call) and _callee(call) in _RAISES and call.args:
                call.args[0] = self._switch("error", call.args[0])
        return (
            node if any(_callee(call) in _SWALLOWS for call in calls) else self.visit_Module(node)
        )

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.visit(node.value)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.test = self._promise(node.test)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = _callee(node)
        if name in _RAISES and len(node.args) > 1:
            node.args[0] = self._switch("error", node.args[0])
        elif name == "expect" and node.args and not isinstance(node.args[0], ast.Starred):
            node.args[0] = self._promise(node.args[0])
        elif name in _EQUAL and name.startswith("assert"):
            self._expected(node)
        return node

    def _switch(self, kind: str, node: ast.expr) -> ast.expr:
        number = ast.Constant(len(self.sites))
        self.sites.append(Site(kind, ast.unparse(node)[:120]))
        return ast.Call(ast.Name(_SWITCH, ast.Load()), [number, node], [])

    def _promise(self, test: ast.expr) -> ast.expr:
        """A condition: of an equality the expected side is replaced, all else is negated."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            test.values = [self._promise(part) for part in test.values]
            return test
        if isinstance(test, ast.Compare) and [type(op) for op in test.ops] == [ast.Eq]:
            if isinstance(test.left, ast.Constant):
                test.left = self._switch("other", test.left)
            else:
                test.comparators = [self._switch("other", test.comparators[0])]
            return test
        if isinstance(test, ast.Call) and _callee(test) in _EQUAL and self._expected(test):
            return test
        return self._switch("not", test)

    def _expected(self, call: ast.Call) -> bool:
        """Switch the second argument of an equality, unless a tolerance could hide the change."""
        for word in call.keywords:
            if word.arg in _TOLERANCES:
                size = word.value.value if isinstance(word.value, ast.Constant) else None
                if not isinstance(size, (int, float)) or not 0 <= size <= 20:
                    return False
        if any(isinstance(argument, ast.Starred) for argument in call.args) or len(call.args) > 3:
            return False
        if len(call.args) > 1:
            call.args[1] = self._switch("other", call.args[1])
            return True
        named = [word for word in call.keywords if word.arg in _DESIRED]
        for word in named:
            word.value = self._switch("other", word.value)
        return bool(named)


# Its source runs in the kernel, where nothing is imported, so it has no annotations.
def tito_alter(value):  # type: ignore[no-untyped-def]
    """Another value than `value`, for the expected side of a comparison: far away for numbers.

    Raises:
        LookupError: there is none that is sure to be unequal.
    """
    if isinstance(value, str):
        return value + "?"
    if type(value) in (list, tuple) and value:
        return type(value)([tito_alter(value[0]), *value[1:]])
    try:
        other = value + 1000 * (1 + abs(value)) + 7
    except Exception:  # noqa: BLE001 - not a number, nor an array of them
        return object()
    differs = (other == other) & (other != value)
    if getattr(value, "size", 1) and getattr(differs, "all", lambda: differs)():
        return other
    raise LookupError("no value that is sure to be another one")


_PROGRAM = """
def {name}():
    import contextlib, io, os, select, signal, time, warnings
{alter}
    class Never(Exception):
        pass
{cells}
    def passes(cell, kinds, turned):
        def switch(number, value):
            if number != turned:
                return value
            kind = kinds[number]
            return not value if kind == "not" else Never if kind == "error" else tito_alter(value)
        try:
            nowhere = io.StringIO()
            with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
                cell(switch)
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
            for cell, kinds, number in [{chosen}]:
                if time.process_time() > {seconds!r}:
                    break
                os.write(back, b"%d" % all(passes(cell, kinds, n) for n in (number, None, number)))
        finally:
            os._exit(0)
    os.close(back)
    said, stop = b"", time.monotonic() + {allowed!r}
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
    return said.decode()
{answer} = {name}()
"""


@dataclass(frozen=True)
class Passed:
    """A test cell that passed, and the seconds it took."""

    grade_id: str
    source: str
    seconds: float


@dataclass(frozen=True)
class ControlProgram:
    """The controls of one notebook: the code to send to its kernel, and how to read the answer."""

    code: str
    expression: str
    controls: tuple[tuple[str, Site], ...]  # (grade_id, the expectation that is made wrong)

    def read(self, answer: str | None) -> tuple[list[tuple[str, str]], int]:
        """(the grade_id and a sentence for each control that passed, how many were made).

        Without an answer (an error, no time, no fork), no control was made.
        """
        numbers = (answer or "").strip("'")
        found = [
            (
                grade_id,
                f"the test also passes when `{site.text}` {HOW[site.kind]}; it should fail",
            )
            for (grade_id, site), number in zip(self.controls, numbers, strict=False)
            if number == "1"
        ]
        return found, min(len(numbers), len(self.controls))


def request(passed: list[Passed], rng: random.Random, seconds: float) -> ControlProgram | None:
    """Controls of these cells, in random order, as many as begin within `seconds` of CPU time, so
    that a busy machine makes no fewer; None if there are none.
    """
    functions, rows, controls = [], [], []
    for index, one in enumerate(rng.sample(passed, len(passed))):
        cell = switched(one.source) if one.seconds <= DEAR_SECONDS else None
        if cell is None:
            continue
        functions.append(_function(f"cell_{index}", cell.body))
        count = min(PER_CELL, len(cell.sites))
        for number in sorted(rng.sample(range(len(cell.sites)), count)):
            rows.append(f"(cell_{index}, {[site.kind for site in cell.sites]!r}, {number})")
            controls.append((one.grade_id, cell.sites[number]))
    if not controls:
        return None
    name, answer = f"_t{secrets.token_hex(8)}", f"_t{secrets.token_hex(8)}"
    code = _PROGRAM.format(
        name=name,
        answer=answer,
        alter=textwrap.indent(inspect.getsource(tito_alter), "    "),
        cells=textwrap.indent("\n".join(functions), "    "),
        chosen=", ".join(rows),
        seconds=seconds,
        allowed=5 + 20 * seconds,
    )
    return ControlProgram(
        code, f"(globals().pop({name!r}, 0), globals().pop({answer!r}, ''))[1]", tuple(controls)
    )
