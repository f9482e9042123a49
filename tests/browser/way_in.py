"""A script for somebody who has just found the site: from the landing page to the first green test.

    python tests/browser/way_in.py [OUTPUT_FOLDER]

It opens a built site in headless Chromium, presses the button to the page "Start", downloads the
bundle, types the page's lines one by one in a shell of an empty home, and works the first exercise
in the JupyterLab that the last line opens: untouched, wrong, right. Every step leaves a picture in
the output folder. `--pictures` also writes those that the page "Start" shows.

Without `--offline` pip fetches the packages, as at a student's; with it, pip finds those that are
installed for this Python. Only a shell of Linux or macOS is tried. With `--in-browser`, the visitor
presses the page's other button, "Start in your browser"; the site was built with `--browser`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import pty
import re
import shlex
import signal
import site
import sys
import tempfile
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from lab import BROWSER_ARGUMENTS, PATIENCE_SECONDS, ROOT, Notebook, find_browser
from newcomer import stub_of, tell

PROMPT = "ready> "
TAB = "Linux and macOS"
STUB, TEST = "class Dataset(ABC)", 'check("1a")'
# the cells before the first exercise that it needs, by a piece of their text
GIVEN = ("from abc import ABC, abstractmethod", "from tinytorch.testing import")
WHOLE = ("from tinytorch.datasets import load_digits", "def train_by_slices(")
TURN = re.compile(r'"your turn: dataset\.(\w+)"')
WRONG = r'"no \1"'
RIGHT = r'f"{type(self).__name__} must define \1"'


class Terminal:
    """A shell of its own, into which lines are typed; `screen` is all that it printed."""

    def __init__(self, home: Path, environment: dict[str, str]):
        self.screen, self.read = "", 0  # `read`: up to where `until` has looked
        self.pid, self.file = pty.fork()
        if not self.pid:
            os.chdir(home)
            os.execvpe("bash", ["bash", "--norc", "--noprofile"], environment)
        self.reader = threading.Thread(target=self._drain)
        self.reader.start()
        self.until(PROMPT)

    def _drain(self) -> None:
        """Read all the time: a program waits when nobody reads what it prints."""
        with contextlib.suppress(OSError):  # the shell has ended
            while piece := os.read(self.file, 65536):
                self.screen += piece.decode(errors="replace")

    def until(self, text: str | re.Pattern) -> re.Match:
        """Wait until the shell prints this."""
        pattern = text if isinstance(text, re.Pattern) else re.compile(re.escape(text))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (found := pattern.search(self.screen, self.read)):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the terminal never said {text!r}:\n{self.screen[-3000:]}")
            time.sleep(0.05)  # polling, because the reader only collects
        self.read = found.end()
        return found

    def type(self, line: str) -> None:
        os.write(self.file, line.encode() + b"\n")
        self.until("\n")

    def close(self) -> None:
        """End the shell and what runs in it, as closing the window does."""
        running = os.tcgetpgrp(self.file)
        for group in {running, self.pid}:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGHUP)
                os.killpg(group, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        self.reader.join()
        os.close(self.file)


def shell_environment(home: Path, opened: Path, offline: bool) -> dict[str, str]:
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
    kept |= {"HOME": str(home), "BROWSER": f"{note} %s", "PS1": PROMPT, "TERM": "dumb"}
    if offline:
        kept |= {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}",
            "PYTHONPATH": os.pathsep.join(site.getsitepackages()),
            "JUPYTERLAB_DIR": str(Path(sys.prefix) / "share" / "jupyter" / "lab"),
            "JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter"),
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as the option's value: no isolation
        }
    return kept


def lines_of(page) -> list[str]:
    """The lines that the page "Start" asks one to type."""
    page.get_by_text(TAB, exact=True).first.click()
    block = page.locator(".sd-tab-content", has_text="activate").locator("pre").first
    return [line for line in block.inner_text().splitlines() if line.strip()]


def visit(html: Path, output: Path, *, offline: bool, pictures: Path | None = None) -> list[str]:
    """Walk the whole way; return complaints, none if nothing hindered.

    Args:
        html: the built site.
        pictures: the folder that gets start_opened.png, start_red.png and start_green.png.
    """
    from playwright.sync_api import sync_playwright

    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="way-in-") as folder, sync_playwright() as driver:
        home = Path(folder).resolve()
        (home / "Downloads").mkdir()
        browser = driver.chromium.launch(executable_path=find_browser(), args=BROWSER_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, accept_downloads=True)
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        lab, began = Notebook(page, output), time.monotonic()
        page.goto((html / "index.html").as_uri())
        lab.picture("landing")
        page.locator("a.begin").click()  # the one button
        page.wait_for_url("**/start.html")
        lab.picture("start")
        with page.expect_download() as download:
            page.get_by_role("link", name="handout.zip").first.click()
        download.value.save_as(home / "Downloads" / "handout.zip")
        opened = home / "address"
        terminal = Terminal(home, shell_environment(home, opened, offline))
        try:
            complaints = _typed(terminal, lines_of(page), opened)
            print(f"installed {time.monotonic() - began:.0f} s after the landing page")
            page.set_viewport_size({"width": 860, "height": 560})
            path = min((home / "Downloads").glob("*/modules/*/*_dev.ipynb"))
            complaints += _worked(lab, _address(opened), path, pictures)
            print(f"the first green test after {time.monotonic() - began:.0f} s, nothing read")
        finally:
            terminal.close()
            (output / "terminal.txt").write_text(terminal.screen, encoding="utf-8")
        browser.close()
    return complaints


def _typed(terminal: Terminal, lines: list[str], opened: Path) -> list[str]:
    """Type the lines; the last one is left to run, and has opened JupyterLab."""
    complaints = []
    for line in lines[:-1]:
        terminal.type(line)
        terminal.until(PROMPT)
        terminal.type("echo ended with $?")
        if terminal.until(re.compile(r"ended with (\d+)")).group(1) != "0":
            complaints.append(f"this line of the page fails: {line}")
        terminal.until(PROMPT)
    terminal.type(lines[-1])
    terminal.until("JupyterLab opens")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not opened.is_file() or not opened.read_text():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{lines[-1]} opened no page:\n{terminal.screen[-3000:]}")
        time.sleep(0.1)  # polling, because a browser's script cannot call us
    return complaints


def _address(opened: Path) -> str:
    """Where JupyterLab is. It hands the browser a file that leads there."""
    text = opened.read_text().strip()
    if text.startswith("file:"):
        page = Path(text.removeprefix("file://")).read_text(encoding="utf-8")
        found = re.search(r'href="(http://[^"]+)"', page)
        assert found, page
        text = found[1].replace("&amp;", "&")
    return text


def visit_in_browser(html: Path, output: Path) -> list[str]:
    """Walk the way without an installation, from a server on the loopback; return complaints.

    Args:
        html: a site that holds the notebooks in the browser.
    """
    from playwright.sync_api import sync_playwright

    output.mkdir(parents=True, exist_ok=True)
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(html))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as driver:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = driver.chromium.launch(executable_path=find_browser(), args=BROWSER_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        page.route("**/jupyter-lite.json*", _exposed)
        lab, began = Notebook(page, output), time.monotonic()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/index.html")
        lab.picture("landing")
        page.locator("a.begin").click()
        page.wait_for_url("**/start.html")
        lab.picture("start")
        button = page.get_by_role("link", name="Start in your browser")
        address = button.evaluate("link => link.href")
        path = min((ROOT / "modules").glob("*/.starter/*_dev.ipynb"))
        complaints = _worked(lab, address, path, None)
        print(f"the first green test after {time.monotonic() - began:.0f} s, nothing read")
        browser.close()
        server.shutdown()
    return complaints


def _exposed(route) -> None:
    """So that this script can ask JupyterLite which cell is which; a reader sees no difference."""
    answer = route.fetch()
    if not answer.ok:
        route.fulfill(response=answer)
        return
    settings = answer.json()
    settings.setdefault("jupyter-config-data", {})["exposeAppInBrowser"] = True
    route.fulfill(response=answer, json=settings)


def _shown(lab: Notebook, path: Path) -> None:
    """A picture for the page: in 256 colors, which takes less than half of the bytes."""
    from PIL import Image

    lab.page.screenshot(path=path)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def _worked(lab: Notebook, address: str, path: Path, pictures: Path | None) -> list[str]:
    """The first exercise of the notebook `path`: untouched, wrong, right."""
    lab.open(address)
    lab.picture("opened")
    stub, complaints = stub_of(path, "dataset"), []
    if pictures:
        _shown(lab, pictures / "start_opened.png")
    lab.page.keyboard.press("Control+b")  # the list of files leaves, and lines have room
    for cell in (*WHOLE, *GIVEN):
        lab.run(cell)
    for name, source, wanted in (
        ("your_turn", stub, "your turn"),
        ("red", TURN.sub(WRONG, stub), "✗"),
        ("green", TURN.sub(RIGHT, stub), "✓"),
    ):
        lab.fill(STUB, source)
        lab.run(STUB)
        said = "\n".join(lab.run(TEST))
        lab.picture(name)
        if wanted not in said or (wanted == "✓" and "✗" in said):
            complaints.append(f"{name}: the test says {said!r}")
        if pictures and name in ("red", "green"):
            _shown(lab, pictures / f"start_{name}.png")
    lab.save()
    return complaints


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", nargs="?", type=Path, help="default: a new temporary folder")
    parser.add_argument("--html", type=Path, default=ROOT / "site" / "_build" / "html")
    parser.add_argument("--offline", action="store_true", help="pip uses what is installed here")
    parser.add_argument("--in-browser", action="store_true", help="nothing is installed")
    parser.add_argument("--pictures", action="store_true", help="write those of the page Start")
    options = parser.parse_args()
    output = options.output or Path(tempfile.mkdtemp(prefix="way-in-pictures-"))
    pictures = ROOT / "site" / "_static" if options.pictures else None
    html, output = options.html.resolve(), output.resolve()
    if options.in_browser:
        complaints = visit_in_browser(html, output)
    else:
        complaints = visit(html, output, offline=options.offline, pictures=pictures)
    return tell(complaints, "the visitor", output)


if __name__ == "__main__":
    raise SystemExit(main())
