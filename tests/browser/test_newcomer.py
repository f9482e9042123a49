"""A newcomer's first hour: JupyterLab in headless Chromium, then the terminal.

The newcomer opens a student edition, reads the red test of a wrong solution, corrects it, saves,
exports and tests. Every step leaves a picture in the test's folder for a person to look at.
"""

import json
import re
import sys
import textwrap
from pathlib import Path

import pytest
from lab import (
    LAB_DEFAULTS,
    ROOT,
    Notebook,
    asked_elsewhere,
    environment,
    jupyter_lab,
    stub_of,
    student_files,
)

from helpers.chromium import chromium
from tito.child_processes import finished
from tito.workspace import Workspace

EXERCISE, SIGNATURE, TEST = "epoch_order", "def epoch_order(", 'check("3a")'
PROMISE = "An order is an int64 array that holds every index 0..N-1 once."
# cells to run before, by a piece of their text: the first two train a network
WHOLE = ("from tinytorch.datasets import load_digits", "def train_by_slices(")
GIVEN = ("from tinytorch.core.rng import", "from tinytorch.testing import")
WRONG = """\
if num_samples < 0:
    raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
if not shuffle:
    return np.arange(num_samples)
return np.random.default_rng(seed).integers(0, num_samples, size=num_samples)
"""
RIGHT = """\
if num_samples < 0:
    raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
order = np.arange(num_samples, dtype=np.int64)
if not shuffle:
    return order
return np.random.default_rng(None if seed is None else [seed, epoch]).permutation(order)
"""
TURN = re.compile(r"^( *)raise NotImplementedError\(.your turn.*\n?", re.MULTILINE)


def test_the_lab_defaults_name_settings_that_jupyterlab_knows():
    schemas = Path(sys.prefix) / "share" / "jupyter" / "lab" / "schemas"
    if not schemas.is_dir():
        pytest.skip(f"{schemas} does not exist: jupyterlab is in the extra [notebook]")
    for plugin, settings in json.loads(LAB_DEFAULTS.read_text(encoding="utf-8")).items():
        package, name = plugin.split(":")
        schema = json.loads((schemas / package / f"{name}.json").read_text(encoding="utf-8"))
        assert set(settings) <= set(schema["properties"])


@pytest.mark.long  # half a minute in a browser
def test_nothing_hinders_a_newcomer(tmp_path):
    pytest.importorskip("jupyterlab", reason="jupyterlab is in the extra [notebook]")
    module = Workspace(ROOT).module("08")
    workspace, home = tmp_path / "workspace", tmp_path / "home"
    home.mkdir()
    path = student_files(module, workspace)
    with jupyter_lab(workspace, home) as url, chromium(height=620) as page:
        asked, lab = asked_elsewhere(page), Notebook(page, tmp_path)
        lab.open(url.format(path=path.relative_to(workspace).as_posix()))
        works_an_exercise(lab, path)
        # At the end, because the popups of a fresh JupyterLab appear some time after the notebook.
        assert not page.locator(".jp-Dialog, .Toastify__toast").count()
        assert not page.get_by_text("Jupyter news").count()
        opens_the_script_as_a_notebook(lab, path.with_suffix(".py"))
    assert asked == []
    exports_and_tests(workspace)


def works_an_exercise(lab, path):
    stub = stub_of(path, EXERCISE)
    assert "the network recognizes" in "".join(line for cell in WHOLE for line in lab.run(cell))
    assert "Error" not in "".join(line for cell in GIVEN for line in lab.run(cell))
    lab.contents(EXERCISE)
    for name, body, shown in (
        ("your turn", None, "your turn"),
        ("red", WRONG, PROMISE),
        ("green", RIGHT, "\u2713"),
    ):
        if body:
            source, count = TURN.subn(lambda turn: textwrap.indent(body, turn[1]), stub)  # noqa: B023
            assert count == 1
            lab.fill(SIGNATURE, source)
        lab.run(SIGNATURE)
        said = "\n".join(lab.run(TEST))
        lab.picture(name)
        assert lab.sees(shown), f"after Shift+Enter {shown!r} is off the screen: {said}"
        if name == "red":
            wanted = [PROMISE, "called", "got", "wanted", "look at", "%hint"]
            assert [word for word in wanted if word not in said] == []
        assert not re.search("Traceback|AssertionError|NameError", said)
    assert "\u2717" not in said
    lab.save()
    assert "permutation" in stub_of(path, EXERCISE), "saving did not reach the notebook's file"


def opens_the_script_as_a_notebook(lab, script):
    """A double click on the paired .py in the file browser."""
    assert script.is_file()
    page = lab.page
    page.keyboard.press("Control+Shift+F")
    page.locator(".jp-DirListing-item", has_text=script.name).dblclick()
    page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", has_text=script.name).wait_for()
    opened = page.locator(".lm-DockPanel-widget:not(.lm-mod-hidden)")
    kind = opened.locator(".jp-Notebook, .jp-FileEditor").first
    kind.wait_for()
    lab.idle()
    assert "jp-Notebook" in (kind.get_attribute("class") or "")


def exports_and_tests(workspace):
    """An export that still has stubs is refused with the next command, which works."""
    for words, code, said in (
        ("export 08", 1, "--partial"),
        ("export 08 --partial", 0, ""),
        ("status", 0, ""),
        (f"test 08 -k {EXERCISE}", 0, ""),
        (f"hint 08 {EXERCISE}", 0, ""),
    ):
        command = [sys.executable, "-m", "tito", *words.split()]
        done = finished(command, workspace, environment(workspace), together=True)
        printed = done.stdout
        assert (done.returncode, "Traceback" in printed) == (code, False), f"{words}: {printed}"
        assert said in printed
