"""What the examples on the command line's page print: commands of site/_examples/verbs.toml, run
one after the other in a scratch workspace that holds one sample module.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from tito.child_processes import finished
from tito.errors import UsageError, WorkError
from tito.files import read_toml
from tito.workspace import Workspace

COLUMNS = "60"  # characters that fit into a line of a page
# What a reader sees in place of the scratch folder's paths.
_CLASS, _COURSE = "../class", "~/course"


@dataclass(frozen=True)
class Step:
    """A command to run.

    Attributes:
        command: as a person types it.
        verb: below which it is shown, such as "grade release"; "" is the page's opening; None
            shows it nowhere.
        lines: of the output, at most; what is left out becomes "...".
        fails: whether its exit code is 1, because the work fails.
        solve: put the finished notebook in place first.
    """

    command: str
    verb: str | None = None
    lines: int = 12
    fails: bool = False
    solve: bool = False


@dataclass(frozen=True)
class Example:
    """A command, and what it printed."""

    command: str
    output: str


def steps(path: Path) -> list[Step]:
    """The steps of a file like site/_examples/verbs.toml."""
    return [Step(**entry) for entry in read_toml(path, UsageError)["step"]]


def run(root: Path, wanted: list[Step]) -> dict[str, list[Example]]:
    """Run the steps; return their outputs by verb.

    Args:
        root: of the checkout whose command line runs.

    Raises:
        WorkError: a command ends otherwise than its step says.
    """
    from grading.authoring.demo import play_student, set_stage

    examples: dict[str, list[Example]] = {}
    with tempfile.TemporaryDirectory() as name:
        stage = set_stage(root, Path(name).resolve())
        for folder in ("modules", "grading/modules"):
            shutil.rmtree(stage.workspace / folder, ignore_errors=True)
            (stage.workspace / folder).mkdir()
        environment = {**stage.environment, "COLUMNS": COLUMNS}
        for step in wanted:
            if step.solve:
                play_student(Workspace(stage.workspace).modules()[0], [])
            words = [sys.executable, "-m", *shlex.split(step.command)]
            ended = finished(words, stage.workspace, environment, together=True)
            if ended.returncode != int(step.fails):
                raise WorkError(
                    f"an example of the command line's page, `{step.command}`, ended with"
                    f" {ended.returncode}. Repair it or site/_examples/verbs.toml, then: tito site"
                    f" build\n{ended.stdout}"
                )
            if step.verb is not None:
                output = _shortened(_anywhere(ended.stdout, stage.folder), step.lines)
                examples.setdefault(step.verb, []).append(Example(step.command, output))
    return examples


def _anywhere(text: str, folder: Path) -> str:
    """An output without what belongs to the machine that builds the page."""
    text = text.replace(str(folder / "class"), _CLASS).replace(str(folder / "course"), _COURSE)
    # JupyterLab asks for this option from whoever builds as root
    return text.replace(sys.executable, "python").replace(" --allow-root", "")


def _shortened(text: str, lines: int) -> str:
    shown = re.sub(r"\n{2,}", "\n\n", text).strip("\n").splitlines()
    return "\n".join(shown if len(shown) <= lines else [*shown[:lines], "..."])


def kept(root: Path, folder: Path, digest: str) -> dict[str, list[Example]]:
    """The outputs of this build, or of an earlier one with the same `digest`."""
    path = folder / "verbs.json"
    if path.is_file():
        read = json.loads(path.read_text(encoding="utf-8"))
        if read["digest"] == digest:
            return {verb: [Example(**row) for row in rows] for verb, rows in read["found"].items()}
    by_verb = run(root, steps(root / "site" / "_examples" / "verbs.toml"))
    plain = {verb: [asdict(one) for one in examples] for verb, examples in by_verb.items()}
    path.write_text(json.dumps({"digest": digest, "found": plain}, indent=1), encoding="utf-8")
    return by_verb
