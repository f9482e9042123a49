"""The programs that run inside a sandbox: a notebook kernel, or the process at the other end of the
contract tests' pipe. The caller has set up the isolation.

This is also the script of the levels that start a fresh Python: `python programs.py '{"program":
..., ...}'`.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGE, WORK, HOME, RUN = "/given", "/tmp/work", "/tmp/home", "/run/kernel"
# in the `run` directory: <ip>-1 ... <ip>-5 are the sockets
CONNECTION_FILE, SOCKETS = "connection.json", "k"
MAX_PACKAGE_BYTES, MAX_PACKAGE_FILES = 128 * 2**20, 4000
_WORKER = Path(__file__).resolve().parents[3] / "tito" / "contract" / "worker.py"

# the first is the default of a kernel
BACKENDS = {"kernel": "module://matplotlib_inline.backend_inline", "sealed": "Agg"}

# Everything that a kernel imports until its first plot and traceback, found by comparing
# sys.modules before and after.
IMPORTED_BEFORE = """
numpy numpy.random numpy.testing comm
matplotlib.pyplot matplotlib_inline.config matplotlib.backends.backend_agg
IPython IPython.core.completerlib IPython.core.oinspect IPython.core.debugger IPython.core.magics
IPython.core.pylabtools IPython.extensions.storemagic IPython.utils.wildcard
ipykernel.kernelapp ipykernel.ipkernel ipykernel.zmqshell ipykernel.debugger ipykernel.displayhook
ipykernel.comm tornado.platform.asyncio tornado.queues
csv dataclasses encodings.ascii encodings.idna faulthandler gzip multiprocessing.pool pdb
stringprep tempfile tracemalloc unittest.mock zlib
""".split()


def import_contract_worker() -> Any:
    """Import tito/contract/worker.py, and first what it imports, because these files do not exist
    inside.
    """
    spec = importlib.util.spec_from_file_location("tito.contract.worker", _WORKER)
    assert spec and spec.loader  # a file that ends in .py has both
    worker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(worker)
    for name in ("wire", "proxy", "state"):
        importlib.import_module(f"tito.contract.{name}")
    return worker


def search_path(package: str, work: str) -> None:
    """Set sys.path: the package first, the working directory last, so that a helper file beside a
    notebook is found but cannot shadow anything.
    """
    tools = _WORKER.parents[2]
    hidden = {
        # a checkout; an installed tito lies beside the packages that the code may import
        "" if tools.is_relative_to(os.path.realpath(sys.prefix)) else str(tools),
        os.path.dirname(os.path.abspath(__file__)),
        "",
        package,
        work,
    }
    sys.path[:] = [package, *(entry for entry in sys.path if entry not in hidden), work]


def usual_signals() -> None:
    """Restore the default signal handlers: a parent that a shell started in the background ignores
    interrupts.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


def new_randomness() -> None:
    """Seed NumPy anew, so that two sandboxes from one parent do not draw the same numbers; `random`
    does this itself after a fork.
    """
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()


def import_before() -> None:
    """Import, in the parent, what most notebooks need, except what is not installed."""
    os.environ.pop("MPLBACKEND", None)
    # if ipykernel finds a debugger, it sets it up, which makes each fork slower
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # None stops an import
    for name in IMPORTED_BEFORE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    del sys.modules["debugpy"]
    # reads the entry points of all packages once, before the fork
    _set_matplotlib_backend(BACKENDS["kernel"])


def _set_matplotlib_backend(name: str) -> None:
    """Set the backend directly: matplotlib was imported before MPLBACKEND was set."""
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].rcParams["backend"] = name


def own_modules() -> list[str]:
    """Names in sys.modules that are ours. Computed once in the parent, because looking at every
    name in a fork would copy every memory page that holds one.
    """
    return [name for name in sys.modules if name.split(".")[0] in ("grading", "tito")]


def run_sealed(arguments: list[str], worker: Any, ours: list[str]) -> None:
    for name in ours:
        if name.startswith("grading"):
            del sys.modules[name]
    _set_matplotlib_backend(os.environ["MPLBACKEND"])
    sys.argv = ["worker.py", *arguments]
    worker.main(*arguments)


def run_kernel(
    arguments: list[str],
    run: str,
    ours: list[str],
    bound: Callable[[], None] = lambda: None,
    app: Any = None,
) -> None:
    """Run an IPython kernel on the sockets in `run`. `bound` is called when they exist, before any
    student code.
    """
    for name in ours:
        del sys.modules[name]
    _set_matplotlib_backend(os.environ["MPLBACKEND"])
    # It finds the shell, to which it sends figures, when it is imported.
    sys.modules.pop("matplotlib_inline.backend_inline", None)
    # The manager's file has the path outside; ipykernel would overwrite it with the path inside.
    connection = json.loads(Path(run, CONNECTION_FILE).read_text(encoding="utf-8"))
    own = Path(os.environ["HOME"], CONNECTION_FILE)
    inside = {**connection, "transport": "ipc", "ip": f"{run}/{SOCKETS}"}
    own.write_text(json.dumps(inside), encoding="utf-8")
    app = app or kernel_app()
    app.connection_file = str(own)
    if arguments:
        app.parse_arguments(arguments)
    app.initialize([])
    own.unlink()
    app.shell.system = functools.partial(_system, app.shell)
    sys.argv = ["ipykernel_launcher.py"]
    bound()
    app.start()


def _system(shell: Any, command: str) -> None:
    """Run `!command`. IPython's own function needs a terminal, of which a sandbox has none."""
    command = shell.var_expand(command, depth=1)
    pipes: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, shell=True, stderr=subprocess.STDOUT, text=True, **pipes) as run:
        for line in run.stdout or ():
            print(line, end="", flush=True)
    shell.user_ns["_exit_code"] = run.returncode


def kernel_app() -> Any:
    """ipykernel's application with its options parsed, which the parent does once for all kernels.
    None if ipykernel is not installed.
    """
    try:
        from ipykernel.kernelapp import IPKernelApp
    except ImportError:
        return None

    class App(IPKernelApp):
        parse_arguments = IPKernelApp.parse_command_line

        def parse_command_line(self, argv: list[str] | None = None) -> None:
            """Already done by the parent."""

        def load_config_file(self, *args: Any, **kwargs: Any) -> None:
            """Load nothing: IPython settings of this machine must not affect a grade."""

    app = App.instance()
    options = ["--IPKernelApp.quiet=True", "--IPKernelApp.log_level=50"]
    options += ["--HistoryManager.enabled=False", "--InteractiveShellApp.ignore_cwd=True"]
    app.parse_arguments(options)
    return app


def copy_files(source: str, target: str, *, owner: int | None = None) -> int:
    """Copy regular files and directories; links and devices are left out. Returns the bytes used on
    a tmpfs.

    Modification times are copied too, so that compiled files stay valid beside their sources.

    Raises:
        ValueError: more than MAX_PACKAGE_BYTES or MAX_PACKAGE_FILES.
    """
    total = count = 0
    todo = [(source, target)]
    while todo:
        here, there = todo.pop()
        with os.scandir(here) as entries:
            for entry in entries:
                place, count = os.path.join(there, entry.name), count + 1
                if count > MAX_PACKAGE_FILES:
                    raise ValueError(
                        f"a sandbox is given at most {MAX_PACKAGE_FILES} files; {source} has more"
                    )
                if entry.is_dir(follow_symlinks=False):
                    os.mkdir(place)
                    if owner is not None:
                        os.chown(place, owner, owner)
                    todo.append((entry.path, place))
                elif entry.is_file(follow_symlinks=False):
                    total += _copy(entry.path, place, MAX_PACKAGE_BYTES - total, owner)
    return total


def _copy(source: str, target: str, room: int, owner: int | None) -> int:
    fd = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return 0
        if status.st_size > room:
            raise ValueError(
                f"a sandbox is given at most {MAX_PACKAGE_BYTES >> 20} MiB of files;"
                f" {source} does not fit"
            )
        copy = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            while data := os.read(fd, 2**20):
                os.write(copy, data)
            if owner is not None:
                os.fchown(copy, owner, owner)
        finally:
            os.close(copy)
        os.utime(target, ns=(status.st_mtime_ns, status.st_mtime_ns))
    finally:
        os.close(fd)
    return -(-status.st_size // 4096) * 4096


def main(request: dict) -> None:
    """Run one program in a fresh Python, isolated by bubblewrap or (limits only) not at all."""
    from grading.engine.sandbox import kernelcalls
    from grading.engine.sandbox.limits import SandboxLimits

    ready = request["ready_fd"]
    try:
        if request.get("die_with_parent") and sys.platform == "linux":
            kernelcalls.die_with_parent()
            if os.getppid() != request["die_with_parent"]:
                return
        Path(os.environ["HOME"]).mkdir(parents=True, exist_ok=True)
        if request["files"]:
            copy_files(request["files"], request["work"])
        worker = import_contract_worker() if request["program"] == "sealed" else None
        if worker is None:
            import ipykernel.kernelapp  # noqa: F401  (before the search path knows what a student attached)
        ours = own_modules()
        os.chdir(request["work"])
        SandboxLimits(**request["limits"]).set_rlimits()
        search_path(request["package"], request["work"])
        usual_signals()
    except BaseException as problem:
        os.write(ready, f"{type(problem).__name__}: {problem}"[:1000].encode())
        raise

    def say_ready() -> None:
        os.write(ready, b"r")
        os.close(ready)

    if worker is None:
        run_kernel(request["arguments"], request["run"], ours, say_ready)
    else:
        say_ready()
        run_sealed(request["arguments"], worker, ours)


if __name__ == "__main__":
    sys.path[0] = str(_WORKER.parents[2])  # the repository, until search_path removes it
    main(json.loads(sys.argv[1]))
