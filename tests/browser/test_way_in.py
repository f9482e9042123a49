"""The way of somebody who has just found the site, from the landing page to the first green test.

A built site in headless Chromium: the button to the page "Start", the bundle, the page's lines
typed one by one in a shell of an empty home, and the first exercise in the JupyterLab that the last
line opens: untouched, wrong, right. pip finds the packages that are installed for this Python. Only
a shell of Linux or macOS is tried. With START_PICTURES=1 the pictures of the page "Start" are
written.
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
from lab import ROOT, Notebook, stub_of

from helpers.chromium import chromium
from helpers.patience import PATIENCE_SECONDS, until

pexpect = pytest.importorskip("pexpect", reason="the test types into a POSIX shell")

PROMPT = "ready> "
TAB = "Linux and macOS"
STUB, TEST = "class Dataset(ABC)", 'check("1a")'
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
    # so that this script can ask JupyterLab which cell is which; a reader sees no difference
    (home / ".jupyter" / "jupyter_lab_config.py").write_text(
        "c.LabApp.expose_app_in_browser = True\n"
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


def works_the_first_exercise(lab: Notebook, address: str, path: Path) -> None:
    """Untouched, wrong, right."""
    lab.open(address)
    stub = stub_of(path, "dataset")
    shown(lab, "opened")
    lab.page.keyboard.press("Control+b")  # the list of files leaves, and lines have room
    for cell in (*WHOLE, *GIVEN):
        lab.run(cell)
    for source, wanted in (
        (stub, "your turn"),
        (TURN.sub(WRONG, stub), "\u2717"),
        (TURN.sub(RIGHT, stub), "\u2713"),
    ):
        lab.fill(STUB, source)
        lab.run(STUB)
        said = "\n".join(lab.run(TEST))
        assert wanted in said
        if source != stub:
            shown(lab, "red" if wanted == "\u2717" else "green")
    assert "\u2717" not in said
    lab.save()


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
            with reading(shell):
                works_the_first_exercise(lab, address, path)
