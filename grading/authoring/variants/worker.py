"""Runs mutants, each in a fork of one process that has done what all of them share:
`python worker.py job.json`.

The job says its kind, where the results go (a file of JSON lines, one for each part as it ends),
what to import before the first fork, the limits of one part, and the parts, which are mutants or
other jobs:

    {"kind": "proofs", "parts": [{"name", ...}]}
        What `grading.authoring.variants.jobs` describes. Several processes share the parts: each
        takes the next one that nobody has taken.
    {"kind": "cells", "cells": [{index, label, is_test, source, tested}], "parts":
     [{"name", "changes": {index: source}, "tests": [index], "last": index}]}
        The reference's cells run here, without tests. Before a cell that a mutant changes, the
        process is forked, and the child goes on with the mutant's cells to its last test.
    {"kind": "contracts", "arguments", "report", "path", "hidden", "parts":
     [{"name", "text", "grade_id", "all"}]}
        pytest collects all contract tests here. The child writes the mutant's package, imports it
        with its first test, and runs the tests of its exercise: public ones, then hidden ones.
    {"kind": "compare", "path", "import_name", "reference", "seeds", "parts":
     [{"name", "text", "check"}]}
        Two children answer a check for each seed, one with the reference's package.

A child ends at the first test that fails, or if the mutant says "all" at the last one. A result is
{"name", "by", "status", "test", "promise", "said", "cpu_seconds"}, and of contract tests also
"broken", the promises of those that failed; "by" is "" for a mutant that no test killed.
"""

import contextlib
import importlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tito.children import Engine, end_group
from tito.outcome import Outcome
from tito.run import cell_worker

MEMORY = 4 * 2**30  # a wrong operator may ask for a huge array
CHECK = "check"
engine: Engine | None = None  # while this file runs as a program


def forked(work: Callable[[], dict[str, Any]], limits: dict[str, float]) -> dict[str, Any]:
    """What `work` returns in a child of this process, within limits of CPU time, time and memory;
    for a child that ends otherwise, what ended it.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # in the engine's folder, which the engine removes even if this process is killed
    with tempfile.TemporaryDirectory(prefix="tito-mutant-", dir=os.getcwd()) as folder:
        answer = Path(folder) / "answer.json"
        child = os.fork()
        if child == 0:
            _child(work, limits, Path(folder), answer)
        status = _wait(child, limits["seconds"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if answer.is_file():
            result = json.loads(answer.read_text(encoding="utf-8"))
        elif status is None or status == signal.SIGXCPU:  # the child's signal is its status
            said = "still running when its time was over: a loop that never ends?"
            result = {"status": "timeout", "said": said}
        else:
            result = {"status": "error", "said": f"the process ended with status {status}"}
    return {**result, "cpu_seconds": round(spent, 3)}


def _child(
    work: Callable[[], dict[str, Any]], limits: dict[str, float], folder: Path, answer: Path
) -> None:
    try:
        os.setsid()  # so that a mutant's own processes end with it
        cpu = int(limits["cpu_seconds"])
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(folder)
        result = work()
        os.chdir(os.sep)
        unfinished = answer.with_suffix(".tmp")
        unfinished.write_text(json.dumps(result), encoding="utf-8")
        os.replace(unfinished, answer)
    except BaseException:  # noqa: BLE001 - the mutant may raise anything
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _wait(child: int, seconds: float) -> int | None:
    """How a child ended; None where its time was over."""
    deadline = time.monotonic() + seconds
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if engine and engine.gone():
            end_group(child)
            os.waitpid(child, 0)  # until then it may write into a folder that is being removed
            os._exit(1)
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.001)
    end_group(child)
    return ended[1]


class Job:
    """A job with the file of its results."""

    def __init__(self, described: dict[str, Any]):
        self.described = described
        self.limits: dict[str, float] = described["limits"]
        self.parts: list[dict[str, Any]] = described["parts"]
        self._results = open(described["results"], "a", encoding="utf-8")  # noqa: SIM115

    def __getitem__(self, name: str) -> Any:
        return self.described[name]

    def write(self, part: dict[str, Any], verdict: dict[str, Any]) -> None:
        print(json.dumps({"name": part["name"], **verdict}), file=self._results, flush=True)


def killed(by: str, test: str | None, outcome: Outcome) -> dict[str, Any]:
    return {
        "by": by,
        "status": outcome.status,
        "test": test,
        "promise": outcome.promise,
        "said": outcome.on_screen[:600],
    }


def proofs(job: Job) -> None:
    from grading.authoring.variants import jobs

    for part in job.parts:
        if _begun(job, part["name"]):
            job.write(part, forked(partial(jobs.do, part, Path(job["scratch"])), job.limits))


def _begun(job: Job, name: int) -> bool:
    """Take a part, unless another process has."""
    try:
        Path(job["shared"], f"begun-{name}").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def cells(job: Job) -> None:
    # The cells' `__main__` has no file, like Jupyter's.
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    os.chdir(tempfile.mkdtemp(prefix="tito-mutants-", dir=job["folder"]))
    first = {mutant["name"]: min(map(int, mutant["changes"])) for mutant in job.parts}
    for place, cell in enumerate(job["cells"]):
        for mutant in job.parts:
            if first[mutant["name"]] == cell["index"]:
                rest = job["cells"][place:]
                result = forked(partial(_cells_of, job, mutant, rest, main), job.limits)
                job.write(mutant, {"by": "notebook", **result})
        if not cell["tested"]:
            outcome = cell_worker.measure(cell, main.__dict__, job.limits["seconds"])
            if not outcome.passed:
                raise SystemExit(f"the reference's {cell['label']} fails: {outcome.on_screen}")


def _cells_of(
    job: Job, mutant: dict[str, Any], rest: list[dict[str, Any]], main: types.ModuleType
) -> dict[str, Any]:
    """Run a mutant's cells, up to the first that fails."""
    for cell in rest:
        if cell["index"] > mutant["last"]:
            break
        if cell["tested"] and cell["index"] not in mutant["tests"]:
            continue
        source = mutant["changes"].get(str(cell["index"]), cell["source"])
        outcome = cell_worker.measure(
            {**cell, "source": source},  # type: ignore[typeddict-item]
            main.__dict__,
            job.limits["seconds"],
        )
        if not outcome.passed:
            return killed("notebook", cell["name"], outcome)
    return {"by": ""}


class Forks:
    """A plugin of pytest: in place of its own loop over the tests, one fork for each mutant."""

    def __init__(self, job: Job):
        self.job = job
        self.failed = False

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed = self.failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        if session.testsfailed:
            raise session.Interrupted("the contract tests cannot be collected")
        marked = [item for item in session.items if item.get_closest_marker("contract")]
        # the report numbers the tests in this order; here public ones come first
        tests = sorted(enumerate(marked), key=lambda numbered: self._is_hidden(numbered[1]))
        for mutant in self.job.parts:
            own = [
                (number, item)
                for number, item in tests
                if item.get_closest_marker("contract").args[0] == mutant["grade_id"]
            ]
            result = forked(partial(self._child, mutant, own), self.job.limits)
            if "by" not in result:  # the child ended within a test
                item = marked[int(self._running.read_text(encoding="utf-8"))]
                result |= {"by": self._kind(item), "test": item.name}
            self.job.write(mutant, result)
        return True

    def _child(self, mutant: dict[str, Any], own: list[tuple[int, Any]]) -> dict[str, Any]:
        Path(self.job["path"]).write_text(mutant["text"], encoding="utf-8")
        importlib.invalidate_caches()
        report = Path(self.job["report"])
        verdict: dict[str, Any] = {}
        broken: list[str | None] = []
        for (number, item), (_, following) in zip(own, [*own[1:], (0, None)], strict=True):
            begin = report.stat().st_size
            self._running.write_text(str(number), encoding="utf-8")
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                outcome = _outcome(report, begin, number)
                verdict = verdict or killed(self._kind(item), item.name, outcome)
                broken.append(outcome.promise)
                if not mutant["all"]:
                    break
                self.failed = False
        return {**(verdict or {"by": ""}), "broken": broken}

    @property
    def _running(self) -> Path:
        """Holds the number of the test that a child runs."""
        return Path(self.job["folder"]) / "running"

    def _is_hidden(self, item: Any) -> bool:
        return Path(self.job["hidden"]) in Path(item.path).parents

    def _kind(self, item: Any) -> str:
        return "hidden" if self._is_hidden(item) else "public"


def _outcome(report: Path, begin: int, number: int) -> Outcome:
    """How the test ended, from the lines that the plugin of the contract tests wrote for it."""
    with report.open(encoding="utf-8") as file:
        file.seek(begin)
        rows = [json.loads(line) for line in file if line.endswith("\n")]
    outcomes = [Outcome.from_json(row) for row in rows if row.get("number") == number]
    return next(
        (one for one in outcomes if not one.passed),
        Outcome("error", message="the test failed outside of the code under test"),
    )


def contracts(job: Job) -> None:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = int(pytest.main(job["arguments"], plugins=[Forks(job)]))
    if code:
        raise SystemExit(f"pytest ended with exit code {code}: {output.getvalue()[-3000:]}")


def compare(job: Job) -> None:
    for mutant in job.parts:
        texts = {"reference": job["reference"], "mutant": mutant["text"]}
        both = {
            who: forked(partial(_answers, job, text, mutant["check"]), job.limits)
            for who, text in texts.items()
        }
        job.write(mutant, both)


def _answers(job: Job, text: str, check: str) -> dict[str, Any]:
    """For each seed what a check returns, as text, and whether it raised that."""
    import numpy as np

    Path(job["path"]).write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    package = importlib.import_module(job["import_name"])
    namespace: dict[str, Any] = {"np": np}
    lines = "\n".join(f"    {line}" for line in check.splitlines())
    exec(f"def {CHECK}(tt, rng):\n{lines}", namespace)
    answers = []
    for seed in range(job["seeds"]):
        try:
            value = namespace[CHECK](package, np.random.default_rng(seed))
            answers.append((repr(_plain(value)), False))
        except Exception as problem:  # noqa: BLE001 - both packages may refuse the same input
            answers.append((f"{type(problem).__name__}: {problem}", True))
    return {"answers": answers}


def _plain(value: Any) -> Any:
    """Data whose repr says all of it: arrays with dtype, shape and every number."""
    import numpy as np

    if isinstance(value, (np.ndarray, np.generic)):
        return (type(value).__name__, value.dtype.str, value.shape, value.tolist())
    if hasattr(value, "data") and isinstance(value.data, np.ndarray):
        return (type(value).__name__, _plain(value.data))
    if isinstance(value, dict):
        return [(key, _plain(part)) for key, part in value.items()]
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [_plain(part) for part in value])
    return value


KINDS = {"proofs": proofs, "cells": cells, "contracts": contracts, "compare": compare}


def main() -> None:
    global engine
    engine = Engine()
    described = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.path[0] = os.getcwd()  # this file's folder must not shadow anything
    for name in described["imports"]:
        with contextlib.suppress(Exception):  # a part that needs it fails
            importlib.import_module(name)
    KINDS[described["kind"]](Job(described))
    sys.stdout.flush()
    os._exit(0)  # without waiting for threads that the reference's cells may have started


if __name__ == "__main__":
    main()
