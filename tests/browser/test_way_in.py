"""The way of somebody who has just found the site, from the landing page to the first green test.

A built site in headless Chromium: the button to the page "Start", the bundle, the page's lines
typed one by one in a shell of an empty home, and the first exercise in the JupyterLab that the last
line opens: untouched, wrong, right, saved. Then the paired .py is opened as a notebook, and the
exercise is exported and tested in the terminal. The page asks no other machine. pip finds the
packages that are installed for this Python. Only a shell of Linux or macOS is tried. With
START_PICTURES=1 the pictures of the page "Start" are written.
"""

import contextlib
import os
import re
import shlex
import signal
import site
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import ROOT, Notebook, asked_elsewhere

from helpers.chromium import chromium
from helpers.fresh_python import lend_packages
from helpers.patience import PATIENCE_SECONDS, until
from tito.child_processes import finished
from tito.notebook.cells import cells_of
from tito.notebook.ipynb_format import load_ipynb

pexpect = pytest.importorskip("pexpect", reason="the test types into a POSIX shell")

PROMPT = "ready> "
TAB = "Linux and macOS"
STUB, TEST = "class Dataset(ABC)", 'check("1a")'
COURSE = "Downloads/course"  # in the home
# the cells before the first exercise that it needs, by a piece of their text
GIVEN = ("from abc import ABC, abstractmethod", "from tinytorch.testing import")
WHOLE = ("from tinytorch.datasets import load_digits", "def train_by_slices(")
TURN = re.compile(r'"your turn: dataset\.(\w+)"')
WRONG = r'"no \1"'
RIGHT = r'f"{type(self).__name__} must define \1"'


def shell_environment(home: Path, opened: Path) -> dict[str, str]:
    """What a student's shell has: no variable of this checkout, and a browser that only notes the
    address it is given.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "TITO", "VIRTUAL_ENV", "COURSE", "JUPYTER", "PS1"))
    }
    note = home / "browser"
    note.write_text(f"#!/bin/sh\nprintf '%s' \"$1\" > {shlex.quote(str(opened))}\n")
    note.chmod(0o755)
    (home / ".jupyter").mkdir()
    # so that this script can ask JupyterLab which cell is which; a reader sees no difference. The
    # defaults of the course are in the environment that the page's lines make.
    defaults = home / COURSE / ".venv" / "share" / "jupyter" / "lab" / "settings"
    (home / ".jupyter" / "jupyter_lab_config.py").write_text(
        f"c.LabApp.expose_app_in_browser = True\nc.LabApp.app_settings_dir = {str(defaults)!r}\n"
    )
    return kept | {
        "HOME": str(home),
        "BROWSER": f"{note} %s",
        "PS1": PROMPT,
        "TERM": "dumb",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}",
        "PYTHONPATH": os.pathsep.join(site.getsitepackages()),
        "JUPYTERLAB_DIR": str(Path(sys.prefix) / "share" / "jupyter" / "lab"),
        "JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(Path(sys.prefix) / "etc" / "jupyter"),  # of jupytext
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as the option's value: no isolation
    }


def lines_of(page) -> list[str]:
    """The lines that the page "Start" asks one to type."""
    page.get_by_text(TAB, exact=True).first.click()
    block = page.locator(".sd-tab-content", has_text="activate").locator("pre").first
    return [line for line in block.inner_text().splitlines() if line.strip()]


def typed(shell: pexpect.spawn, lines: list[str], opened: Path) -> str:
    """Type the lines; the last one is left to run, and the address that it opened is returned."""
    for line in lines[:-1]:
        for words in (line, "echo ended with $?"):
            shell.expect_exact(PROMPT)
            shell.sendline(words)
        shell.expect(r"ended with (\d+)")
        assert shell.match[1] == "0", line
    shell.expect_exact(PROMPT)
    shell.sendline(lines[-1])
    shell.expect_exact("JupyterLab opens")
    assert until(lambda: opened.is_file() and opened.read_text())
    text = opened.read_text().strip()
    if text.startswith("file:"):  # a file that leads to the address
        page = Path(text.removeprefix("file://")).read_text(encoding="utf-8")
        text = re.search(r'href="(http://[^"]+)"', page)[1].replace("&amp;", "&")
    return text


@contextlib.contextmanager
def reading(shell: pexpect.spawn) -> Iterator[None]:
    """Read on, because a program waits when nobody reads what it prints; then end what runs in the
    shell, as closing the window does.
    """
    reader = threading.Thread(target=shell.expect, args=(pexpect.EOF, None))
    reader.start()
    try:
        yield
    finally:
        os.killpg(os.tcgetpgrp(shell.child_fd), signal.SIGTERM)
        shell.kill(signal.SIGHUP)
        reader.join()


def shown(lab: Notebook, name: str) -> None:
    """A picture, which the page "Start" shows in 256 colors: less than half of the bytes."""
    from PIL import Image

    lab.picture(name)
    if os.environ.get("START_PICTURES"):
        with Image.open(lab.pictures[-1]) as picture:
            few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(ROOT / "site" / "_static" / f"start_{name}.png", optimize=True)


def stub_in(path: Path) -> str:
    """The source of the exercise's cell, as saved."""
    return next(one.source for one in cells_of(load_ipynb(path)) if one.grade_id == "dataset")


def works_the_first_exercise(lab: Notebook, path: Path) -> None:
    """Work through the exercise: untouched, wrong, right; then save it."""
    stub = stub_in(path)
    shown(lab, "opened")
    lab.contents("1a")
    lab.page.keyboard.press("Control+b")  # the list of files leaves, and lines have room
    said = "".join(line for cell in (*WHOLE, *GIVEN) for line in lab.run(cell))
    assert "the network recognizes" in said and "Error" not in said
    for source, wanted, name in (
        (stub, "your turn", ""),
        (TURN.sub(WRONG, stub), "\u2717", "red"),
        (TURN.sub(RIGHT, stub), "\u2713", "green"),
    ):
        lab.fill(STUB, source)
        lab.run(STUB)
        said = "\n".join(lab.run(TEST))
        assert wanted in said and lab.sees(wanted), f"{wanted!r} is off the screen: {said}"
        assert not re.search("Traceback|AssertionError|NameError", said)
        if name:
            shown(lab, name)
        if name == "red":
            parts = ("called", "got", "wanted", "look at", "%hint")
            assert [word for word in parts if word not in said] == []
    assert "\u2717" not in said
    lab.save()
    assert "must define" in stub_in(path), "saving did not reach the notebook's file"


def opens_the_script_as_a_notebook(lab: Notebook, script: Path) -> None:
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


def exports_and_tests(course: Path, environment: dict[str, str]) -> None:
    """An export that still has stubs is refused with the next command, which works; so do the
    commands after it.
    """
    lend_packages(course / ".venv")  # `tito test` starts Python without PYTHONPATH
    for words, code, said in (
        ("export 08", 1, "--partial"),
        ("export 08 --partial", 0, ""),
        ("status", 0, ""),
        ("test 08 -k dataset", 0, ""),
        ("hint 08 dataset", 0, ""),
    ):
        command = [str(course / ".venv/bin/tito"), *words.split()]
        done = finished(command, course, environment, together=True)
        printed = done.stdout
        assert (done.returncode, "Traceback" in printed) == (code, False), f"{words}: {printed}"
        assert said in printed


@pytest.mark.long
def test_nothing_hinders_a_visitor(tmp_path):
    from tito.verbs import load, verbs

    load(verbs("site")["build"])  # imports the folder site/_tools under the name site_tools
    from site_tools.build import build

    html = build(ROOT, folder=tmp_path / "site", run_cells=False).html
    downloads = tmp_path / "home" / "Downloads"
    downloads.mkdir(parents=True)
    opened = tmp_path / "home" / "address"
    with chromium(1440, 900, accept_downloads=True) as page:
        lab = Notebook(page, tmp_path)
        page.goto((html / "index.html").as_uri())
        lab.picture("landing")
        page.locator("a.begin").click()  # the one button
        page.wait_for_url("**/start.html")
        lab.picture("start")
        with page.expect_download() as download:
            page.get_by_role("link", name="handout.zip").first.click()
        download.value.save_as(downloads / "handout.zip")
        home = tmp_path / "home"
        around = {"env": shell_environment(home, opened), "cwd": str(home), "encoding": "utf-8"}
        words = ["--norc", "--noprofile"]
        with pexpect.spawn("bash", words, timeout=PATIENCE_SECONDS, **around) as shell:
            address = typed(shell, lines_of(page), opened)
            page.set_viewport_size({"width": 860, "height": 560})
            path = min(downloads.glob("*/modules/*/*_dev.ipynb"))
            asked = asked_elsewhere(page)
            with reading(shell):
                lab.open(address)
                works_the_first_exercise(lab, path)
                # At the end, because the popups of a fresh JupyterLab appear after the notebook.
                assert not page.locator(".jp-Dialog, .Toastify__toast").count()
                assert not page.get_by_text("Jupyter news").count()
                opens_the_script_as_a_notebook(lab, path.with_suffix(".py"))
    assert asked == []
    exports_and_tests(home / COURSE, around["env"])
