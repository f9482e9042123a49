"""Begin a module: make its notebook where none exists, and open it in JupyterLab.

A notebook that exists is never overwritten. Without a terminal nothing is opened; the command that
opens the notebook is printed instead.
"""

import argparse
import os
import signal
import subprocess
import sys
from importlib.util import find_spec

from tito import console
from tito.commands import _arguments
from tito.errors import EnvironmentBroken, WorkError
from tito.notebook.pair import read_work, sync
from tito.notebook.reset_notebook import restore_missing
from tito.remembered_state import remember
from tito.student_work.read_progress import progress
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    no_browser = "JupyterLab prints its address and opens no browser"
    parser.add_argument("--no-browser", action="store_true", help=no_browser)
    parser.add_argument("--no-open", action="store_true", help="only make the notebook")
    parser.add_argument("--py", action="store_true", help="write the notebook as a .py file, too")


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    module = workspace.module(args.module)
    made = restore_missing(module)
    # from now on this is the current module
    remember(workspace.state_dir, module.name, started=True)
    notebook = module.notebook.relative_to(workspace.root).as_posix()
    console.say(f"{'made' if made else 'ready'}: {notebook}")
    try:
        asked = args.py and not module.script.exists()
        stale = read_work(module, remember=False).stale
        if (asked or stale) and (written := sync(module, workspace.backups)):
            note = "" if asked else ", which was behind (the old one: .tito/backups)"
            console.say(f"{'made' if asked else 'refreshed'}: {written.name}{note}")
    except WorkError as problem:
        # The notebook is damaged or disagrees with its .py. Open JupyterLab anyway: the student may
        # repair it there.
        console.warn(str(problem))
    if args.no_open or (not sys.stdout.isatty() and not args.no_browser):
        row = progress(module)
        words = " ".join(["jupyter lab", notebook, *_as_root()])
        console.say(f"open it: {words}\n{row.module}: {row.words}\n{row.advice}")
        return 0
    if find_spec("jupyterlab") is None:
        raise EnvironmentBroken(
            'JupyterLab is not installed for this Python. Install it: pip install -e ".[notebook]"'
            f"    (or open {notebook} in your own editor)"
        )
    console.say(
        f"JupyterLab opens; Ctrl-C here ends it. In a second terminal: tito watch {module.number}"
    )
    command = [sys.executable, "-m", "jupyterlab", str(module.notebook), *_as_root()]
    command += ["--no-browser"] if args.no_browser else []
    with subprocess.Popen(command, cwd=workspace.root) as lab:
        # Ctrl-C is for JupyterLab, which asks whether to stop
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            code = lab.wait()
        finally:
            signal.signal(signal.SIGINT, before)
    return 0 if code in (0, -2, 130) else 3


def _as_root() -> list[str]:
    """The option without which JupyterLab does not start for root, as in many containers."""
    return ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
