"""`tito watch` in a real terminal of 24 lines and 80 columns.

After each save the last lines are the red that matters and the keys.
"""

import io
import os
import re
import sys

import pytest
from adder_course import RIGHT

from helpers.patience import PATIENCE_SECONDS

if os.name != "posix":
    pytest.skip("a pseudo terminal", allow_module_level=True)
import pexpect

KEYS = "h hint   n next   p previous   t test   q quit"
WRONG = RIGHT["add"].replace("a + b", "a - b")


class Terminal:
    """A terminal in which `tito watch` runs."""

    def __init__(self, root, number):
        env = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES")}
        env |= {"PYTHONUTF8": "1", "NO_COLOR": "1", "TERM": "xterm"}
        options = {"dimensions": (24, 80), "encoding": "utf-8", "timeout": PATIENCE_SECONDS}
        words = ["-m", "tito", "watch", number]
        self.child = pexpect.spawn(sys.executable, words, cwd=str(root), env=env, **options)
        self.child.logfile_read = self.log = io.StringIO()

    def frames(self):
        """All that the screen has shown, each time it was cleared."""
        found = self.log.getvalue().split("\x1b[2J\x1b[H")[1:]
        return [frame.replace("\r\n", "\n").rstrip("\n") for frame in found]

    def wait_for(self, *texts):
        """The lines of the first screen that has all texts."""
        while True:
            screen = (self.frames() or [""])[-1]
            if all(text in screen for text in texts) and screen.endswith(KEYS):
                return screen.split("\n")
            self.child.expect(r".+")  # more comes, or the message shows what came last


@pytest.fixture
def terminal(course):
    terminal = Terminal(course.root, "07")
    yield terminal
    terminal.child.close(force=True)


def test_the_coach_shows_one_red_at_a_time_and_goes_on_when_it_is_green(course, terminal):
    terminal.wait_for("0 of 2 · 1a", "your turn: add")
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
    terminal.child.send("h")
    terminal.wait_for("add gives the sum.", "hint 1 of 3: sums")
    terminal.child.send("x")
    assert terminal.wait_for("add gives the sum.")[-1] == KEYS  # an unknown key shows the keys
    course.write(add="#| export\ndef add(a, b)\n    return a + b")
    terminal.wait_for("SyntaxError: expected ':'")
    course.write(add=RIGHT["add"])
    lines = terminal.wait_for("1 of 2 · 1b", "scale gives the product.")
    assert "add" not in "\n".join(lines[1:])
    terminal.child.send("p")
    terminal.wait_for("· 1a")
    terminal.child.send("n")
    terminal.wait_for("· 1b")
    for frame in terminal.frames()[:-1]:
        lines = frame.split("\n")
        assert len(lines) <= 24 and max(map(len, lines)) < 80 and lines[-1] == KEYS, frame
        if " · " in lines[0]:  # the red lines are those of the exercise that the first line names
            place = lines[0].split(" · ")[1]
            said = lines[1].replace("✗ cell", f"✗ {place}")  # of a cell that Python cannot read
            assert f" {place} " in f" {said} ", frame
    course.write(**RIGHT)
    terminal.wait_for("2 of 2", "next: tito export 07")
    terminal.child.send("q")
    terminal.child.expect(pexpect.EOF)
    assert terminal.child.wait() == 0
