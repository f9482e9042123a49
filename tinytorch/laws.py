"""Laws: each promise of a Contract is tested by one function, wherever the student's code is.

    @law(2, "never below", look="which end of the range is cut?")
    def test_no_value_below_the_lower_end(tt, draw):
        low = float(draw.uniform(-1, 1))
        yield f"clip_values([-9], {low})", lambda: tt.clip_values([-9.0], low), [low]

A law yields cases: the call as a student would type it, what came of it and what is wanted. `got`
may be a function without arguments, so that an error in it is known to belong to this call. The
number and the words name one sentence of the exercise's Contract; the sentence itself is in
`contracts.json` beside the laws, which a release derives from the source.

`checker("08_dataloader")` returns the notebook's `check`: `check("3a")` runs the laws of 3a on the
names of the notebook. Under pytest, `tito.contract.plugin` runs the same files on the exported
package, or through a pipe. There the fixtures that a law names are pytest's; here they are those of
`_Kernel`. This file uses only the standard library until a law draws.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import json
import random
import re
import sys
import tempfile
import traceback
import tracemalloc
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tinytorch import testing
from tinytorch.testing import PromiseBroken, YourTurn

CONTRACTS = "contracts.json"  # beside the laws: what `Contract` describes, for each exercise
_FILE = re.compile(r"^test_(\d+[a-z]+)_\w+\.py$")
_NOTHING = object()
NO_RETURN = "the call gave None: does each way through the function end in a `return`?"
# A law that names one of these fixtures needs a process of its own, which a notebook is not.
OWN_PROCESS = {"peak_memory": "it measures the memory of a process of its own"}


class Case(NamedTuple):
    """One thing that a law tries.

    Attributes:
        call: the expression as the student would type it.
        got: what came of it, or a function without arguments that returns it.
        want: what it must be equal to (see `same`); with `raises` the texts that the message
            contains, whatever their case.
        holds: whether the promise holds, where this is not `same(got, want)`; a function is asked
            with what came.
        look: where to look, in place of the law's own.
        raises: the error that `got` must raise, in place of the law's own.
    """

    call: str
    got: Any
    want: Any = _NOTHING
    holds: Any = _NOTHING
    look: str | None = None
    raises: Any = None


class Contract(NamedTuple):
    """What a law needs to know of its exercise.

    Attributes:
        cell: the graded cell's name, which holds the points.
        title: as a student reads it, such as "Batch: named arrays of one length".
        hint: what to type after `tito hint`.
        promises: the sentences in their order; the first one is promise 1.
        points: what all promises together are worth.
    """

    cell: str
    title: str
    hint: str
    promises: Sequence[str]
    points: float = 0.0

    def worth(self, kept: int) -> str:
        """What the promises that are kept are worth, as `tito test` and the grader say it."""
        if not self.points:
            return ""
        earned = round(self.points * kept / len(self.promises), 2)
        return f", worth {earned:g} of {self.points:g} point{'' if self.points == 1 else 's'}"


@functools.lru_cache(maxsize=8)
def contracts(folder: Path) -> Mapping[str, Contract]:
    """The Contracts of the exercises whose laws are in `folder`; none where it has no laws."""
    path = folder / CONTRACTS
    if not path.is_file():
        return {}
    document = json.loads(path.read_text(encoding="utf-8"))
    return {exercise: Contract(**facts) for exercise, facts in document.items()}


class Law:
    """What `@law` knows of a function; the function has it as its attribute `law`."""

    def __init__(self, function: Any, number: int, words: str, look: str | None, raises: Any):
        self.function, self.number, self.words = function, number, words
        self.look, self.raises = look, raises
        self.name = function.__name__
        self.path = Path(function.__code__.co_filename)
        self.fixtures = list(inspect.signature(function).parameters)

    @property
    def exercise(self) -> str:
        match = _FILE.match(self.path.name)
        if match is None:
            raise ValueError(f"laws are in a file like test_3a_name.py; {self.path.name} is none")
        return match[1]

    @property
    def contract(self) -> Contract:
        known = contracts(self.path.parent)
        if self.exercise not in known:
            raise LookupError(
                f"{self.path.parent / CONTRACTS} knows each exercise that has laws; {self.exercise}"
                " is missing. Write it again: tito grade release MODULE"
            )
        return known[self.exercise]

    @property
    def sentence(self) -> str:
        """The promise, without the marks of code."""
        promises = self.contract.promises
        if not 1 <= self.number <= len(promises):
            raise LookupError(
                f"a law names one of the promises 1 to {len(promises)} of {self.exercise};"
                f" {self.name} names {self.number}"
            )
        return promises[self.number - 1]

    @property
    def left_out(self) -> str | None:
        """Why the law cannot run in a notebook."""
        return next((OWN_PROCESS[name] for name in self.fixtures if name in OWN_PROCESS), None)

    def run(self, *args: Any, **fixtures: Any) -> None:
        """Raise PromiseBroken for the first case that does not hold."""
        case, judged = None, 0
        try:
            # A law without `yield` uses `expect`, which raises by itself.
            for item in self.function(*args, **fixtures) or ():
                case = Case(*item)
                self._judge(case)
                case, judged = None, judged + 1
        except (PromiseBroken, KeyboardInterrupt, NotDefined):
            raise
        except Exception as problem:
            if isinstance(problem, MemoryError):
                # first of all: else the error keeps a list that has grown to the limit, and neither
                # the lines below nor the tests that follow have memory
                traceback.clear_frames(problem.__traceback__)
            if testing._is_stub(problem):
                raise
            raise self._broken_by(problem, case) from problem
        if inspect.isgeneratorfunction(self.function) and not judged:
            # a law that looks at each batch has nothing to look at where none comes
            raise PromiseBroken(self.sentence, None, "nothing to compare", "a case", self.look)
        testing._kept.append(self.sentence)

    def _is_delayed(self, got: Any) -> bool:
        """Whether it is a lambda, or a function that is defined in the law's own file."""
        if not inspect.isfunction(got):
            return False
        own = self.function.__code__.co_filename
        return got.__name__ == "<lambda>" or got.__code__.co_filename == own

    def _judge(self, case: Case) -> None:
        error = case.raises or self.raises
        if error is not None:
            self._refuses(case, error)
            return
        # a function without arguments stands for a call that may raise
        got = case.got() if self._is_delayed(case.got) else case.got
        holds = case.holds(got) if callable(case.holds) else case.holds
        if not (same(got, case.want) if case.holds is _NOTHING else bool(holds)):
            want = None if case.want is _NOTHING else case.want
            # what asks for a value would lead away from a `return` that was forgotten
            look = NO_RETURN if got is None and want is not None else None
            raise self._broken(case, got, want, look)

    def _refuses(self, case: Case, error: type[BaseException]) -> None:
        says = [] if case.want is _NOTHING else case.want
        says = [says] if isinstance(says, str) else [str(one) for one in says]
        kinds = error if isinstance(error, tuple) else (error,)
        names = " or ".join(one.__name__ for one in kinds)
        want = names + (f" saying {', '.join(map(repr, says))}" if says else "")
        try:
            result = case.got()
        except (NotDefined, MemoryError):
            raise
        except Exception as problem:
            if testing._is_stub(problem):
                raise
            said = f"{type(problem).__name__}: {problem}"
            kind = isinstance(problem, kinds)
            whole = all(text.lower() in str(problem).lower() for text in says)
            if kind and whole:
                return
            look = f"the kind of error: raise {names}(...)" if not kind and whole else None
            raise self._broken(case, said, want, look) from problem
        raise self._broken(case, f"no error, but {testing._short(result, 60)}", want)

    def _broken(self, case: Case, got: Any, want: Any, look: str | None = None) -> PromiseBroken:
        shown = "None" if got is None else got
        return PromiseBroken(self.sentence, case.call, shown, want, look or case.look or self.look)

    def _broken_by(self, problem: BaseException, case: Case | None) -> PromiseBroken:
        """An error that no law asked for, as the promise that it breaks."""
        said = re.sub(r"\btest_\w+\.<locals>\.", "", f"{type(problem).__name__}: {problem}")
        look = (case and case.look) or self.look
        at = _last_line(problem, self.path)
        look = NO_RETURN if "'NoneType' object" in said else look
        call = case.call if case else None
        broken = PromiseBroken(self.sentence, call, said, "no such error", at or look)
        broken.unexpected = problem
        return broken


def law(
    number: int, words: str, *, look: str | None = None, raises: Any = None
) -> Callable[[Callable[..., Any]], Any]:
    """Make a function the law of one promise.

    Args:
        number: of the promise in the exercise's Contract.
        words: two or more words that occur in that sentence alone; `tito dev check` compares them,
            so that a sentence put in between shifts nothing unseen.
        look: where a student should look when the law does not hold.
        raises: the error, or a tuple of errors, that each case must raise; `want` is then the text,
            or a list of texts, that its message contains.
    """

    def keep(function: Callable[..., Any]) -> Any:
        one = Law(function, number, words, look, raises)

        @functools.wraps(function)
        def run(*args: Any, **fixtures: Any) -> None:
            __tracebackhide__ = True
            one.run(*args, **fixtures)

        run.law = one  # type: ignore[attr-defined]
        return run

    return keep


def _last_line(problem: BaseException, path: Path) -> str | None:
    """The line of the student's own code at which an error came up: the last one below the law."""
    frames = traceback.extract_tb(problem.__traceback__)
    below = [number for number, one in enumerate(frames) if Path(one.filename) == path]
    for frame in reversed(frames[below[-1] + 1 :] if below else []):
        name = frame.filename
        if name.startswith("<cell "):  # `tito test` names a cell's code after the cell
            return f"{name[1:-1]}, line {frame.lineno}, in {frame.name}: {frame.line}"
        if "ipykernel_" in name or name == getattr(sys.modules["__main__"], "__file__", None):
            return f"line {frame.lineno}, in {frame.name}: {frame.line}"
    return None


def same(got: Any, want: Any) -> bool:
    """Whether two values are equal in kind and content: arrays in dtype, shape and every entry (NaN
    is NaN), lists and tuples in type, dicts in their entries, numbers in value.
    """
    if (hasattr(got, "dtype") and hasattr(got, "shape")) or hasattr(want, "shape"):
        import numpy as np

        if np.ndim(got) == 0 and np.ndim(want) == 0:
            return bool(np.asarray(got == want).all()) or bool(got != got and want != want)
        return (
            isinstance(got, np.ndarray) == isinstance(want, np.ndarray)
            and getattr(got, "dtype", None) == getattr(want, "dtype", None)
            and np.shape(got) == np.shape(want)
            and _equal_entries(got, want)
        )
    if isinstance(want, (list, tuple)) or isinstance(got, (list, tuple)):
        return type(got) is type(want) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        return list(got) == list(want) and all(same(got[key], want[key]) for key in want)
    return bool(got == want) or bool(got != got and want != want)


def _equal_entries(got: Any, want: Any) -> bool:
    import numpy as np

    got, want = np.asarray(got), np.asarray(want)
    return bool(np.array_equal(got, want, equal_nan=got.dtype.kind in "fc"))


# In a notebook


def folder_of(module: str) -> Path:
    """Where the laws of a module are: in the workspace of this package or around the current
    folder, or in the installed package.

    Raises:
        FileNotFoundError: none of these has this module.
    """
    package, here = Path(__file__).resolve().parent, Path.cwd()
    roots = (package.parent, here, *here.parents, package)
    places = [root / "modules" / module / "tests" for root in roots]
    for place in places:
        if (place / CONTRACTS).is_file():
            return place
    raise FileNotFoundError(
        f"the laws of a module come with the course; {module} has none in {places[0]}. Install the"
        " course again, as its page says"
    )


@functools.lru_cache(maxsize=64)
def laws_of(folder: Path, exercise: str) -> list[Law]:
    """The laws of an exercise, in the order of their promises."""
    paths = sorted(folder.glob(f"test_{exercise}_*.py"))
    if not paths and exercise not in (known := contracts(folder)):
        names = ", ".join(known)
        raise ValueError(f"check takes the number of an exercise; {exercise!r} is none of {names}")
    if len(paths) != 1:
        there = ", ".join(path.name for path in paths) or "none"
        raise ValueError(
            f"the laws of an exercise are in one file, such as test_{exercise}_name.py; in {folder}"
            f" is {there}"
        )
    (path,) = paths
    name = f"laws_of_{re.sub(r'[^0-9a-zA-Z]', '_', folder.parent.name)}_{exercise}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))  # a file of laws may use one that several share
    try:
        sys.modules[name] = module  # inspect finds the source of a probe there
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    functions = filter(inspect.isfunction, vars(module).values())
    laws = [function.law for function in functions if hasattr(function, "law")]
    return sorted(laws, key=lambda one: one.number)


def checker(module: str) -> Callable[..., None]:
    """The `check` of a module's notebook: `check("3a")` runs the laws of exercise 3a on the names
    that the notebook has. A locked cell at the top of the notebook makes it.
    """

    def check(exercise: str | Callable[[], None], hint: str | None = None) -> None:
        """Run the laws of one exercise. If all hold, one line says so. Otherwise a line tells which
        of the promises hold (`1 ✓ 2 ✗ 3 ·`) and what they are worth, and the first one that does
        not hold is raised. In a script each promise has a line, and the script goes on; `finish()`
        exits with 1.
        """
        __tracebackhide__ = True
        if callable(exercise):  # a test that the notebook shows and that holds no points
            testing.check(exercise, hint)
            return
        exercise = str(exercise).lower()
        names, script = sys._getframe(1).f_globals, testing._in_script(sys._getframe(1).f_code)
        laws = laws_of(folder_of(module), exercise)
        contract = laws[0].contract
        title = contract.title.partition(":")[0]
        if script:
            testing._say(f"Unit Test: {title}...")
        ends = _ends(laws, names)
        first = next((end for end in ends.values() if isinstance(end, BaseException)), None)
        testing._results[contract.cell] = title, first is None
        if script:
            _lines(contract, ends, first)
            return
        kept = sum(end is None for end in ends.values())
        worth = contract.worth(kept)
        if first is None:
            promises = f"{kept} promise{'' if kept == 1 else 's'} kept{worth}"
            testing._say(f"{testing._mark(True)} {title}: {promises}{_not_here(ends)}")
            return
        if isinstance(first, YourTurn) and not kept:
            raise first from None
        signs = " ".join(f"{number} {_sign(end)}" for number, end in sorted(ends.items()))
        testing._say(f"{signs}{worth}")
        first.hint = contract.hint  # type: ignore[attr-defined]
        raise first.with_traceback(None) from first.__cause__

    return check


def _sign(end: Any) -> str:
    if end is None:
        return testing._mark(True)
    return "·" if isinstance(end, str) else testing._mark(False)


def _not_here(ends: Mapping[int, Any]) -> str:
    why = [f"{number} · {end}" for number, end in ends.items() if isinstance(end, str)]
    return f" ({'; '.join(why)})" if why else ""


def _lines(contract: Contract, ends: Mapping[int, Any], first: Any) -> None:
    for number, end in sorted(ends.items()):
        sentence = contract.promises[number - 1]
        if end is None:
            testing._say(f"{testing._mark(True, True)} {sentence}")
        elif isinstance(end, str):
            testing._say(f"· {sentence} Left out here: {end}.")
        elif end is first:
            end.hint = contract.hint
            for line in end.lines():
                testing._say(line)
        else:
            testing._say(f"{testing._mark(False)} {sentence}")


def _ends(laws: Sequence[Law], names: dict[str, Any]) -> dict[int, Any]:
    """How each promise ended: None if all its laws hold, a text if it was left out, else what broke
    it. The global generators are put back once, because that costs as much as a law.
    """
    with contextlib.ExitStack() as undo:
        undo.callback(random.setstate, random.getstate())
        if numpy := sys.modules.get("numpy"):
            undo.callback(numpy.random.set_state, numpy.random.get_state())
        return _each(laws, names)


def _each(laws: Sequence[Law], names: dict[str, Any]) -> dict[int, Any]:
    ends: dict[int, Any] = {}
    for one in laws:
        if isinstance(ends.get(one.number), BaseException):
            continue
        if one.left_out:
            ends.setdefault(one.number, one.left_out)
            continue
        try:
            with _Kernel(names, one) as kernel:
                one.run(**{name: kernel.fixture(name) for name in one.fixtures})
        except NotImplementedError as stub:
            if not testing._is_stub(stub):
                raise
            ends[one.number] = YourTurn(str(stub).partition(": ")[2])
        except NotDefined as unknown:
            ends[one.number] = PromiseBroken(
                f"{unknown} is not defined here", look="run the cells above, then this one again"
            )
        except PromiseBroken as broken:
            ends[one.number] = testing._left_out(broken.__cause__ or broken) or broken
        else:
            ends.setdefault(one.number, None)
    return dict(sorted(ends.items()))


class NotDefined(AttributeError):
    """A law asks for a name that the notebook does not have (yet)."""


class _Names:
    """The notebook's names, as the module `tt` that a law asks."""

    def __init__(self, names: dict[str, Any]):
        self.__dict__ = names

    def __getattr__(self, name: str) -> Any:
        raise NotDefined(name)


class _Kernel:
    """The fixtures of one law in a notebook. What the law changes in the process is put back."""

    def __init__(self, names: dict[str, Any], one: Law):
        self.names, self.law = names, one
        self.undo = contextlib.ExitStack()

    def __enter__(self) -> _Kernel:
        tracing = tracemalloc.is_tracing()
        self.undo.callback(lambda: tracemalloc.start() if tracing else tracemalloc.stop())
        return self

    def __exit__(self, *problem: Any) -> None:
        self.undo.close()

    def fixture(self, name: str) -> Any:
        made = getattr(self, f"_{name}", None)
        if made is None:
            raise LookupError(f"a law takes the fixtures that its page lists; {name} is none")
        return made()

    def _tt(self) -> Any:
        return _Names(self.names)

    def _draw(self) -> Any:
        import numpy as np

        return np.random.default_rng([0, zlib.crc32(self.law.name.encode())])

    def _inside(self) -> Any:
        return lambda probe, *args: probe(_Names(self.names), *args)

    def _tmp_path(self) -> Path:
        return Path(self.undo.enter_context(tempfile.TemporaryDirectory(prefix="law-")))

    def _stand_in(self) -> Any:
        def put(**others: Any) -> None:
            for name, other in others.items():
                if name in self.names:
                    self.undo.callback(self.names.__setitem__, name, self.names[name])
                else:
                    self.undo.callback(self.names.pop, name)
                self.names[name] = other

        return put

    def _global_random_state(self) -> Any:
        import numpy as np

        np.random.random()
        random.random()
        return lambda: repr((np.random.get_state(), random.getstate()))
