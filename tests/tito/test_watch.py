"""`tito watch` in a real terminal of 24 lines and 80 columns.

After each save the last lines are the red that matters and the keys.
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
import time

import pytest
from adder_course import RIGHT
from patience import PATIENCE_SECONDS

KEYS = "h hint   n next   p previous   t test   q quit"
WRONG = RIGHT["add"].replace("a + b", "a - b")


class Terminal:
    """A terminal in which `tito watch` runs; `screen()` is what stands on it."""

    def __init__(self, root):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        env = {**os.environ, "PYTHONUTF8": "1", "NO_COLOR": "1", "TERM": "xterm"}
        for name in ("COLUMNS", "LINES"):
            env.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tito", "watch", "07"],
            cwd=root,
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.text = ""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        data = b""
        while True:
            try:
                data += os.read(self.master, 4096)
            except OSError:  # the program has ended
                return
            self.text = data.decode("utf-8", errors="replace")

    def screen(self):
        return self.text.rpartition("\x1b[2J\x1b[H")[2].replace("\r\n", "\n").rstrip("\n")

    def press(self, key):
        os.write(self.master, key.encode())

    def wait_for(self, *texts):
        """The lines of the first screen that has all texts."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            screen = self.screen()
            if all(text in screen for text in texts) and screen.endswith(KEYS):
                return screen.split("\n")
            time.sleep(0.02)
        raise AssertionError(f"{texts} did not appear; the screen is\n{self.screen()}")


@pytest.fixture
def terminal(course):
    terminal = Terminal(course.root)
    yield terminal
    terminal.process.kill()
    terminal.process.wait()
    os.close(terminal.master)


@pytest.mark.skipif(os.name != "posix", reason="a pseudo terminal")
def test_the_coach_shows_one_red_at_a_time_and_goes_on_when_it_is_green(course, terminal):
    lines = terminal.wait_for("0 of 2 · 1a", "your turn: add")
    assert lines[-1] == KEYS and len(lines) <= 24
    course.write(scale=RIGHT["scale"].replace("*", "+"))  # while 1a is still red
    terminal.wait_for("0 of 2 · 1b", "scale gives the product.")
    course.write(add=WRONG)
    lines = terminal.wait_for("0 of 2 · 1a", "add gives the sum.")
    assert re.sub(r" +", " ", "\n".join(lines[2:-2])).split("\n") == [
        " add gives the sum.",
        " called add(1, 2)",
        " got -1",
        " wanted 3",
        " look at the operator",
    ]
    terminal.press("h")
    terminal.wait_for("add gives the sum.", "hint 1 of 3: sums")
    terminal.press("x")
    assert terminal.wait_for("add gives the sum.")[-1] == KEYS  # an unknown key shows the keys
    course.write(add="#| export\ndef add(a, b)\n    return a + b")
    terminal.wait_for("SyntaxError: expected ':'")
    course.write(add=RIGHT["add"])
    lines = terminal.wait_for("1 of 2 · 1b", "scale gives the product.")
    assert "add" not in "\n".join(lines[1:])
    terminal.press("p")
    terminal.wait_for("· 1a")
    terminal.press("n")
    terminal.wait_for("· 1b")
    course.write(**RIGHT)
    terminal.wait_for("2 of 2", "next: tito export 07")
    terminal.press("q")
    assert terminal.process.wait(PATIENCE_SECONDS) == 0
