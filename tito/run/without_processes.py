"""Runs a Python program in this process, as Python in the browser has no other."""

import contextlib
import io
import os
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

NEEDED = sys.platform == "emscripten"


def run(words: Sequence[str], place: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run `python WORDS` in this process; return its exit code and what it printed.

    The program gets `place` as its folder and imports from the environment's PYTHONPATH first, so
    it has its own packages of the course; afterwards everything is as before. No time limit holds
    here: a loop that never ends is ended by restarting the kernel.

    Args:
        words: `-m MODULE ...` or `FILE ...`, after options of the interpreter such as `-u`.
    """
    options = [word for word in words if word != "-u"]
    output = io.StringIO()
    with (
        _own_state(place, environment),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
    ):
        try:
            if options[0] == "-m":
                sys.argv = options[1:]
                runpy.run_module(options[1], run_name="__main__", alter_sys=True)
            else:
                sys.argv = options
                runpy.run_path(options[0], run_name="__main__")
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return code, output.getvalue()


@contextlib.contextmanager
def _own_state(place: Path, environment: Mapping[str, str]) -> Iterator[None]:
    from unittest import mock  # none of it is needed outside the browser

    own = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    packages = {package.parent.name for path in own for package in Path(path).glob("*/__init__.py")}

    def is_course(name: str) -> bool:
        return name.partition(".")[0] in packages

    folder, modules = os.getcwd(), dict(sys.modules)
    for name in filter(is_course, modules):
        del sys.modules[name]
    os.chdir(place)
    try:
        with (
            mock.patch.object(sys, "argv", []),
            mock.patch.object(sys, "path", [*own, *sys.path]),
            mock.patch.dict(os.environ, environment, clear=True),
            # the program's `os._exit` would end this process, so it ends the program alone
            mock.patch.object(os, "_exit", sys.exit),
        ):
            yield
    finally:
        os.chdir(folder)
        # Compiled modules cannot be imported twice, so what was imported from elsewhere stays.
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None) or ""
            if is_course(name) or any(file.startswith(path) for path in own):
                del sys.modules[name]
        kept = (name for name in modules if is_course(name) or name == "__main__")
        sys.modules.update({name: modules[name] for name in kept})


class _AtOnce(Executor):
    """Does each task when it is submitted, in this thread."""

    def submit(self, task: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(task(*args, **options))
        except BaseException as problem:  # noqa: BLE001 - `result()` raises it
            future.set_exception(problem)
        return future


def beside() -> Executor:
    """What does one task beside this thread; one after the other where there are no threads."""
    return _AtOnce() if NEEDED else ThreadPoolExecutor(1)
