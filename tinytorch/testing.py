"""Assertions that explain what is wrong, and small helpers for the course's tests.

A test is a function of `expect(...)` lines that is passed to `check`. In Jupyter, under `tito test`
and in grading, a broken promise raises. In a script, `check` prints one line for each promise and
goes on, and `finish()` exits with 1. This file uses only the standard library, so that a test cell
starts at once.
"""

from __future__ import annotations

import contextlib
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

YOUR_TURN = "your turn"
READS_THE_SAME = "reads the same as `got`: a fault of this test, not of your code"


class PromiseBroken(AssertionError):
    """A promise that was not kept. Jupyter shows `lines()` in place of a traceback."""

    def __init__(
        self,
        promise: str,
        call: str | None = None,
        got: Any = None,
        want: Any = None,
        look: str | None = None,
    ):
        if got is not None and want is not None and _short(got) == _short(want):
            got, want = _with_kind(got), _with_kind(want)
            want = READS_THE_SAME if _short(got) == _short(want) else want
        self.promise, self.call, self.got, self.want, self.look = promise, call, got, want, look
        self.hint: str | None = None
        self.unexpected: BaseException | None = None  # an error that no test asked for
        super().__init__(promise)

    def lines(self, command: str = "tito hint") -> list[str]:
        """The lines on the screen; `command` shows hints there."""
        rows = [
            ("called", self.call),
            ("got", self.got),
            ("wanted", self.want),
            ("look at", self.look),
            ("more", f"{command} {self.hint}" if self.hint else None),
        ]
        return [f"{_mark(False)} {self.promise}"] + [
            f"  {label:<9} {_short(value)}" for label, value in rows if value is not None
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _render_traceback_(self) -> list[str]:  # IPython's hook for exceptions that draw themselves
        return self.lines("%hint")


class YourTurn(PromiseBroken):
    """An exercise that is still a stub."""

    def __init__(self, exercise: str):
        super().__init__(f"{YOUR_TURN}: {exercise}", look=f"the TODO in {exercise}")


def _mark(ok: bool, script: bool = False) -> str:
    # A terminal has an emoji font; a browser may not, and would show an empty box.
    mark, plain = ("✅" if script else "✓", "[ok]") if ok else ("✗", "[x]")
    try:
        mark.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return plain
    return mark


def _short(value: Any, width: int = 160) -> str:
    text = " ".join((value if isinstance(value, str) else _plain_repr(value)).split())
    return text if len(text) <= width else text[: width - 3] + "..."


def _with_kind(value: Any) -> str:
    """A value with its type, and its dtype if it has one: `3 (int64)` is not `3 (int)`."""
    return f"{_short(value, 120)} ({getattr(value, 'dtype', type(value).__name__)})"


def _plain_repr(value: Any) -> str:
    """A shorter repr: np.float64(2.5) becomes 2.5, and addresses of objects are left out."""
    text = re.sub(r" object at 0x[0-9a-fA-F]+", " object", repr(value))
    return re.sub(r"\bnp\.(?:float|u?int)\d+\(([^()]*)\)", r"\1", text)


def _say(line: str) -> None:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(line.encode(encoding, errors="replace").decode(encoding), flush=True)


_NOTHING = object()  # in the place of a value that is not given, as None is a value


def _shown(value: Any) -> Any:
    """The value as a screen shows it: None where none is given."""
    return None if value is _NOTHING else "None" if value is None else value


_kept: list[str] = []  # every promise that was kept, in order
_results: dict[str, tuple[str, bool]] = {}  # test -> (title, passed) of its last run


def expect(
    condition: Any,
    promise: str,
    *,
    call: str | None = None,
    got: Any = _NOTHING,
    want: Any = _NOTHING,
    look: str | None = None,
) -> None:
    """Keep going if `condition` holds, else raise `PromiseBroken` with five short lines.

    Args:
        condition: anything with one truth value; an array must be reduced first.
        promise: the rule, as a sentence the student can read ("Every sample is visited once.").
        call: the expression that was tried, as the student would type it.
        got, want: what was returned and what was promised; strings are shown as they are, other
            values by repr.
        look: where to look, or a question for the student to answer.
    """
    if not bool(condition):
        raise PromiseBroken(promise, call, _shown(got), _shown(want), look)
    _kept.append(promise)


def expect_raises(
    error: type[BaseException],
    function: Callable[[], Any],
    promise: str,
    *,
    says: Sequence[str] | str = (),
    call: str | None = None,
    look: str | None = None,
) -> None:
    """Expect `function()` to raise `error` with each text of `says`, whatever its case."""
    says = [says] if isinstance(says, str) else list(says)
    want = error.__name__ + (f" saying {', '.join(map(repr, says))}" if says else "")
    try:
        result = function()
    except Exception as problem:
        if _is_stub(problem):
            raise
        got = f"{type(problem).__name__}: {problem}"
        kind = isinstance(problem, error)
        said = all(text.lower() in str(problem).lower() for text in says)
        if not kind and (isinstance(problem, AssertionError) or (says and said)):
            look = f"the kind of error: raise {error.__name__}(...)"
        expect(kind and said, promise, call=call, got=got, want=want, look=look)
    else:
        got = f"no error, but {_short(result, 60)}"
        expect(False, promise, call=call, got=got, want=want, look=look)


def _is_stub(problem: BaseException) -> bool:
    return isinstance(problem, NotImplementedError) and str(problem).startswith(YOUR_TURN)


def kept(since: int = 0) -> list[str]:
    """The promises that `expect` found kept, in order, from number `since` on."""
    return _kept[since:]


class Asked(NamedTuple):
    """The promise that a test was asking about, and the texts that its `expect` would show."""

    promise: str
    call: str | None
    look: str | None


def asked(problem: BaseException, file: str) -> Asked | None:
    """What a test asks about where `problem` left it: the first `expect` at or below this line in
    the outermost function of `file` whose name begins with `test_`; the last one above if there is
    none below. None where the test names no promise.
    """
    trace = problem.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == file and code.co_name.startswith("test_"):
            lines = linecache.getlines(file, trace.tb_frame.f_globals)
            return _promise_near(lines, code.co_firstlineno, trace)
        trace = trace.tb_next
    return None


def _promise_near(lines: list[str], first: int, trace: TracebackType) -> Asked | None:
    import ast  # only when a test fails: a test cell starts at once

    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return None
    # a decorated function begins at its first decorator
    tests = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and min([node.lineno, *(one.lineno for one in node.decorator_list)]) <= first
        and first <= node.lineno
    ]
    calls = sorted(
        (
            (node.end_lineno or 0, text, node)
            for test in tests
            for node in ast.walk(test)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "").startswith("expect")
            for text in (getattr(one, "value", None) for one in node.args)
            if isinstance(text, str) and text.endswith(".")
        ),
        key=lambda call: call[0],
    )
    if not calls:
        return None
    below = [call for call in calls if call[0] >= trace.tb_lineno]
    _, promise, node = below[0] if below else calls[-1]
    texts = {one.arg: _written(one.value, trace.tb_frame) for one in node.keywords}
    return Asked(promise, texts.get("call"), texts.get("look"))


def _written(text: Any, frame: FrameType) -> str | None:
    """The text that is written out for a keyword, with the values that it has in this frame where
    it is an f-string; None where it calls something, or names what has no value yet.
    """
    import ast

    if not isinstance(text, (ast.Constant, ast.JoinedStr)):
        return None
    if any(isinstance(node, ast.Call) for node in ast.walk(text)):
        return None
    code = compile(ast.Expression(text), frame.f_code.co_filename, "eval")
    try:
        found = eval(code, frame.f_globals, frame.f_locals)
    except Exception:  # noqa: BLE001 - a name without a value, or a repr of the student's own
        return None
    return found if isinstance(found, str) else None


def check(test: Callable[[], None], hint: str | None = None) -> None:
    """Run one test. In a notebook a test that passes prints one line, and a broken promise raises.
    In a script each promise is printed, broken or kept, and the script goes on; `finish()` exits
    with 1.

    Args:
        test: a function without arguments; its docstring (or its name) is the title.
        hint: what to type after `tito hint` to get help with this exercise, such as "08
            epoch_order".
    """
    # IPython leaves this frame out of a traceback, so that it shows only the student's own lines
    __tracebackhide__ = True
    doc = inspect.getdoc(test) or test.__name__.removeprefix("test_").replace("_", " ")
    title = " ".join(doc.split("\n\n")[0].split())
    script = _in_script(getattr(test, "__code__", None))
    if script:
        _say(f"Unit Test: {title}...")
    before = len(_kept)
    problem: BaseException | None = None
    try:
        test()
    except PromiseBroken as broken:
        problem = broken
    except NotImplementedError as stub:
        problem = YourTurn(str(stub).partition(": ")[2]) if _is_stub(stub) else stub
    except Exception as other:  # noqa: BLE001 - reported below
        problem = _raised(other, test) or other
    if problem is not None and (absent := _left_out(problem)):
        _say(f"· {title}: {absent}")
        return
    promises_kept = list(dict.fromkeys(kept(since=before)))
    for promise in promises_kept if script else ():
        _say(f"{_mark(True, script)} {promise}")
    _results[test.__name__] = title, problem is None
    if problem is None:
        if not script:
            promises = f"{len(promises_kept)} promise{'' if len(promises_kept) == 1 else 's'}"
            _say(f"{_mark(True)} {title}: {promises} kept")
        return
    if isinstance(problem, PromiseBroken):
        problem.hint = hint
    if not script:
        trace = None if isinstance(problem, PromiseBroken) else problem.__traceback__
        raise problem.with_traceback(trace) from problem.__cause__
    for line in problem.lines() if isinstance(problem, PromiseBroken) else _where(problem):
        _say(line)


IN_THE_BROWSER = sys.platform == "emscripten"
# A piece of an error's text, and what Python in the browser lacks where it is found.
_SIGNS = {
    r"No module named '(matplotlib|PIL|duckdb|yaml)\b": r"the package \1",
    r"is read with (PyYAML|DuckDB|Pillow): pip install": r"the package \1",
    r"can't start new thread": "threads",
    r"does not support processes|_multiprocessing": "processes",
    r"OSError: \[Errno 8\] Bad file descriptor": "memory maps",  # numpy.memmap's error there
    r"no attribute 'flock'": "file locks",
    r"into an index-sized integer|convert to C ssize_t": "lengths of more than 31 bits",
}


def left_out(error: str) -> str | None:
    """The sentence for a test that fails with `error` because Python in the browser lacks
    something; None for any other error, and outside the browser.
    """
    if not IN_THE_BROWSER:
        return None
    for sign, what in _SIGNS.items():
        if match := re.search(sign, error):
            return (
                f"left out here: it needs {match.expand(what)}, which Python in the browser does"
                " not have; `tito test` on your own machine runs it"
            )
    return None


def _left_out(problem: BaseException) -> str | None:
    return left_out(f"{type(problem).__name__}: {problem} {getattr(problem, 'got', None)}")


def unusable(asked: Asked, problem: BaseException) -> PromiseBroken:
    """What a test was asking about when it could not go on with what it was given."""
    return raised_at(asked, problem, asked.look or "what the call gave: the test cannot use it")


def raised_at(asked: Asked, problem: BaseException, look: str) -> PromiseBroken:
    """An error as the promise that it breaks, without the names of the test's own code."""
    said = re.sub(r"\btest_\w+\.<locals>\.", "", f"{type(problem).__name__}: {problem}")
    broken = PromiseBroken(asked.promise, asked.call, said, "no such error", look)
    broken.__cause__ = problem
    return broken


def _raised(problem: Exception, test: Callable[[], None]) -> PromiseBroken | None:
    """An error while a test ran, as the promise that it asked about; None if it names none."""
    import traceback

    question = asked(problem, test.__code__.co_filename)
    if question is None:
        return None
    lines, first = inspect.getsourcelines(test)
    last, inside, trace = None, False, problem.__traceback__
    while trace is not None:
        code, names = trace.tb_frame.f_code, trace.tb_frame.f_globals
        in_test = (
            code.co_filename == test.__code__.co_filename
            and first <= code.co_firstlineno < first + len(lines)
        )
        inside = inside or in_test
        if inside and not in_test and names is test.__globals__:  # the student's
            last = traceback.FrameSummary(code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    if last is None:
        return unusable(question, problem)
    # `tito test` names a cell's code after the cell, as in "<cell 4 (add)>"; Jupyter after a file
    cell = f"{last.filename[1:-1]}, " if last.filename.startswith("<cell ") else ""
    return raised_at(question, problem, f"{cell}line {last.lineno}, in {last.name}: {last.line}")


def _where(problem: BaseException) -> list[str]:
    import traceback

    frame = traceback.extract_tb(problem.__traceback__)[-1]
    return [
        f"{_mark(False)} {type(problem).__name__}: {_short(str(problem))}",
        f"  look at   line {frame.lineno}, in {frame.name}: {frame.line}",
    ]


def _in_script(code: CodeType | None) -> bool:
    """Whether the code is in the file that Python was started with."""
    started = getattr(sys.modules.get("__main__"), "__file__", None)
    return code is not None and started is not None and code.co_filename == started


def progress(section: str) -> None:
    """Print how many tests pass so far, by the last run of each, and the first that does not."""
    red = _red()
    if not _results:
        state = ", no test has run yet"
    elif red:
        passed = f"{len(_results) - len(red)} of the {len(_results)} tests so far pass"
        state = f": {passed}; first red: {red[0]}"
    else:
        state = f" {_mark(True)}"
    _say(f"Progress: {section}{state}")
    _say("")


def _red() -> list[str]:
    """The titles of the tests whose last run did not pass."""
    return [title for title, ok in _results.values() if not ok]


def finish() -> None:
    """Print the total; in a script with a failed check, exit with 1."""
    red = _red()
    _say(f"{len(_results) - len(red)} of {len(_results)} tests pass")
    if red and "get_ipython" not in sys._getframe(1).f_globals:
        raise SystemExit(1)


@contextlib.contextmanager
def demo(title: str) -> Iterator[None]:
    """Run a demonstration of the student's code; in a script, an error in it is one line."""
    try:
        yield
    except Exception as problem:
        if absent := _left_out(problem):
            _say(f"Demo: {title}, {absent}")
            return
        stub = _is_stub(problem)
        # Frame 0 is this generator, 1 is contextlib's __exit__, 2 is the cell.
        if not _in_script(sys._getframe(2).f_code):
            if stub:
                raise YourTurn(str(problem).partition(": ")[2]) from None
            raise
        reason = str(problem) if stub else f"{type(problem).__name__}: {problem}"
        _say(f"Demo: {title}, left out: {_short(reason)}")


class ReadLog(Sequence):
    """A list that records which items were read: `log.reads` holds the indices in order."""

    def __init__(self, items: Sequence):
        self.items = list(items)
        self.reads: list[int] = []

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        item = self.items[index]
        self.reads.append(int(index))
        return item


class FakeClock:
    """A clock for tests: `clock()` returns seconds, and only `clock.advance(0.5)` moves it."""

    def __init__(self, start: float = 1000.0):
        self.now = float(start)
        self.calls = 0

    def __call__(self) -> float:
        self.calls += 1
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
