"""A script for a newcomer's first hour: JupyterLab in headless Chromium, then the terminal.

    python tests/browser/newcomer.py [OUTPUT_FOLDER]

It opens the student edition of a module, fills one stub with a wrong solution, reads the failed
test, fills in the right solution, sees the test pass, saves, exports and tests. Every step leaves a
screenshot in the output folder for a person to look at. Everything happens in a scratch copy of the
workspace; the checkout is not changed.

It needs the extras [notebook] and [dev] and a Chromium; of the network it uses only this machine's
loopback.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab import (
    BROWSER_ARGUMENTS,
    BROWSERS,
    PATIENCE_SECONDS,
    ROOT,
    Notebook,
    environment,
    find_browser,
    jupyter_lab,
)


@dataclasses.dataclass(frozen=True)
class Exercise:
    """The newcomer's exercise: the stub, and the solutions that replace its `raise
    NotImplementedError(...)` line.
    """

    module: str
    heading: str
    grade_id: str
    test: str  # the cell that runs its laws, by a piece of its text
    whole: tuple[str, ...]  # the cells that train a network, by a piece of their text
    given: tuple[str, ...]  # cells to run next, by a piece of their text
    wrong: str
    right: str
    promise: str  # the sentence that the wrong solution must show on the screen


FIRST_EXERCISE = Exercise(
    module="08_dataloader",
    heading="epoch_order",
    grade_id="epoch_order",
    test='check("3a")',
    whole=("from tinytorch.datasets import load_digits", "def train_by_slices("),
    given=("from tinytorch.core.rng import", "from tinytorch.testing import"),
    wrong="""
        if num_samples < 0:
            raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
        if not shuffle:
            return np.arange(num_samples)
        return np.random.default_rng(seed).integers(0, num_samples, size=num_samples)
    """,
    right="""
        if num_samples < 0:
            raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
        order = np.arange(num_samples, dtype=np.int64)
        if not shuffle:
            return order
        return np.random.default_rng(None if seed is None else [seed, epoch]).permutation(order)
    """,
    promise="An order is an int64 array that holds every index 0..N-1 once.",
)


def make_workspace(destination: Path, module: str, notebook: Path | None = None) -> Path:
    """Make a copy of a student's files: `modules/` with the edition as it was released,
    `tinytorch/` without any export.
    """
    hidden = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    shutil.copytree(ROOT / "modules", destination / "modules", ignore=hidden)
    shutil.copytree(ROOT / "tinytorch", destination / "tinytorch", ignore=hidden)
    exported = subprocess.run(
        ["git", "ls-files", "--others", "--ignored", "--exclude-standard", "tinytorch"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout.splitlines()
    for path in exported:
        (destination / path).unlink(missing_ok=True)
    folder = destination / "modules" / module
    starters = sorted((folder / ".starter").glob("*.ipynb")) if notebook is None else [notebook]
    # use the starter, because the checkout's own notebook may contain work
    for starter in starters:
        mine = folder / starter.name
        if not mine.is_file() or mine.read_bytes() != starter.read_bytes():
            shutil.copy(starter, mine)
            # jupytext refuses to open a pair that does not match; the first save writes the .py
            # again
            mine.with_suffix(".py").unlink(missing_ok=True)
    return destination


def stub_of(notebook: Path, grade_id: str) -> str:
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") == grade_id:
            return "".join(cell["source"])
    raise LookupError(f"{notebook} has no cell with grade_id {grade_id!r}")


def filled(stub: str, body: str) -> str:
    """The stub with its `raise NotImplementedError("your turn: ...")` line replaced by `body` at
    the same depth.
    """
    lines = body.strip("\n").rstrip().splitlines()
    depth = len(lines[0]) - len(lines[0].lstrip())

    def at_depth(match: re.Match) -> str:
        return "\n".join(match.group(1) + line[depth:] for line in lines)

    text, count = re.subn(
        r"^( *)raise NotImplementedError\(.your turn.*$", at_depth, stub, flags=re.MULTILINE
    )
    if count != 1:
        raise LookupError(f"one stub line was expected, found {count}")
    return text


def read_red(lines: list[str], exercise: Exercise) -> list[str]:
    """Check the output of the failed test for what a newcomer must find in it; returns
    complaints.
    """
    text = "\n".join(lines)
    wanted = [exercise.promise, "called", "got", "wanted", "look at", "%hint"]
    complaints = [f"the red test does not show {word!r}" for word in wanted if word not in text]
    return complaints + [
        f"the red test shows {word!r}"
        for word in ("Traceback", "AssertionError", "NameError")
        if word in text
    ]


def visit(
    output: Path, exercise: Exercise = FIRST_EXERCISE, notebook: Path | None = None
) -> list[str]:
    """Run the whole hour; pictures and `terminal.txt` go to `output`. Returns complaints; empty if
    there was no problem.
    """
    from playwright.sync_api import sync_playwright

    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder:
        workspace = make_workspace(Path(folder).resolve() / "workspace", exercise.module, notebook)
        (home := Path(folder).resolve() / "home").mkdir()
        paths = sorted((workspace / "modules" / exercise.module).glob("*_dev.ipynb"))
        if not paths:
            raise LookupError(
                f"modules/{exercise.module} has no student edition; make it with: tito grade"
                f" release {exercise.module}"
            )
        with jupyter_lab(workspace, home) as url, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_browser(), args=BROWSER_ARGUMENTS
            )
            page = browser.new_page(viewport={"width": 1280, "height": 620})
            page.set_default_timeout(PATIENCE_SECONDS * 1000)
            outside: list[str] = []
            page.on(
                "request",
                lambda request: outside.append(request.url) if not _is_here(request.url) else None,
            )
            complaints = in_the_browser(Notebook(page, output), url, workspace, paths[0], exercise)
            browser.close()
        complaints += [f"a request left the machine: {address}" for address in outside]
        return complaints + in_the_terminal(workspace, exercise, output)


def _is_here(url: str) -> bool:
    return re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:|about:", url) is not None


def in_the_browser(
    lab: Notebook, url: str, workspace: Path, path: Path, exercise: Exercise
) -> list[str]:
    stub, complaints, began = stub_of(path, exercise.grade_id), [], time.monotonic()
    lab.open(url.format(path=path.relative_to(workspace).as_posix()))
    lab.picture("opened")
    said = [line for cell in exercise.whole for line in lab.run(cell)]
    if not any("the network recognizes" in line for line in said):
        complaints.append(f"the first cells train no network: {said}")
    print(f"a trained network {time.monotonic() - began:.0f} s after the notebook was opened")
    lab.picture("trained")
    for given in exercise.given:
        for line in lab.run(given):
            if "Error" in line:
                complaints.append(f"a given cell fails: {line.splitlines()[-1]}")
    lab.contents(exercise.heading)
    lab.picture("exercise")

    test, signature = exercise.test, f"def {exercise.grade_id}("
    lab.run(signature)
    untouched = lab.run(test)
    lab.picture("your_turn")
    if not lab.sees("your turn"):
        complaints.append(
            "after Shift+Enter the output of the untouched stub's test is off the screen"
        )
    if "your turn" not in "\n".join(untouched):
        complaints.append("the test of an untouched stub does not say 'your turn'")

    lab.fill(signature, filled(stub, exercise.wrong))
    lab.run(signature)
    red = lab.run(test)
    lab.picture("red")
    if not lab.sees(exercise.promise):
        complaints.append("after Shift+Enter the red output is off the screen")
    complaints += read_red(red, exercise)

    lab.fill(signature, filled(stub, exercise.right))
    lab.run(signature)
    green = "\n".join(lab.run(test))
    lab.picture("green")
    if "✓" not in green or "✗" in green:
        complaints.append(f"the right solution is not green: {green}")
    print(f"the first green test after {time.monotonic() - began:.0f} s, with nothing read")
    lab.save()
    if "permutation" not in stub_of(path, exercise.grade_id):
        complaints.append("saving did not reach the notebook's file")
    lab.picture("saved")
    # Checked at the end, because the popups of a fresh JupyterLab appear some time after the
    # notebook.
    if (
        lab.page.locator(".jp-Dialog, .Toastify__toast").count()
        or lab.page.get_by_text("Jupyter news").count()
    ):
        complaints.append("a dialog or a popup covers the notebook")
    return complaints + percent_opens_as_notebook(lab, url, path)


def percent_opens_as_notebook(lab: Notebook, url: str, path: Path) -> list[str]:
    """Double-click the paired .py in the file browser: it must open as a notebook, not as text."""
    if not path.with_suffix(".py").is_file():
        return [f"no paired {path.with_suffix('.py').name} lies beside the notebook"]
    page = lab.page
    page.keyboard.press("Control+Shift+F")
    name = page.locator(".jp-DirListing-item", has_text=path.with_suffix(".py").name)
    name.wait_for()
    name.dblclick()
    opened = page.locator(".lm-DockPanel-widget:not(.lm-mod-hidden)")
    page.locator(
        ".lm-DockPanel-tabBar .lm-TabBar-tab", has_text=path.with_suffix(".py").name
    ).wait_for()
    kind = opened.locator(".jp-Notebook, .jp-FileEditor").first
    kind.wait_for()
    lab.idle()
    lab.picture("percent")
    return (
        []
        if "jp-Notebook" in (kind.get_attribute("class") or "")
        else ["a double click on the paired .py opens a text editor"]
    )


def in_the_terminal(workspace: Path, exercise: Exercise, output: Path) -> list[str]:
    """`tito export --partial`, then the tests of the exercise; the screen is kept in
    `terminal.txt`.
    """
    complaints, screen = [], []
    number = exercise.module.split("_")[0]
    for arguments, words in [
        (["export", number], ["--partial"]),
        (["export", number, "--partial"], []),
        (["status"], []),
        (["test", number, "-k", exercise.grade_id], []),
        (["hint", number, exercise.grade_id], []),
    ]:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from tito.cli import main; raise SystemExit(main())",
                *arguments,
            ],
            cwd=workspace,
            env=environment(workspace),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE_SECONDS,
        )
        screen.append(
            f"$ tito {' '.join(arguments)}\n{done.stdout}{done.stderr}[exit {done.returncode}]\n"
        )
        refusal = bool(words)  # an export that still has stubs is refused with the next command
        if (
            done.returncode != int(refusal)
            or any(word not in done.stdout + done.stderr for word in words)
            or "Traceback" in done.stderr
        ):
            complaints.append(
                f"tito {' '.join(arguments)} ended with {done.returncode}:"
                f" {(done.stdout + done.stderr).strip()[-400:]}"
            )
    (output / "terminal.txt").write_text("\n".join(screen), encoding="utf-8", newline="\n")
    return complaints


def tell(complaints: list[str], who: str, output: Path) -> int:
    """Print the complaints and where the pictures are; returns the exit code."""
    lines = [f"hindered: {complaint}" for complaint in complaints] or [f"nothing hindered {who}"]
    print(*lines, f"look at what was kept in {output}", sep="\n")
    return 1 if complaints else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "output",
        nargs="?",
        type=Path,
        help="folder for the pictures (default: a new temporary one)",
    )
    parser.add_argument(
        "--notebook", type=Path, help="a student edition to use in place of the released one"
    )
    options = parser.parse_args()
    if not find_browser():
        print(
            f"the newcomer's hour needs a Chromium on the PATH ({', '.join(BROWSERS)}); on Debian:"
            " apt-get install chromium"
        )
        return 3
    output = options.output or Path(tempfile.mkdtemp(prefix="newcomer-pictures-"))
    complaints = visit(output.resolve(), notebook=options.notebook)
    return tell(complaints, "the newcomer", output)


if __name__ == "__main__":
    raise SystemExit(main())
