"""`tito watch` in a real terminal of 24 lines and 80 columns."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time

from helpers.patience import PATIENCE_SECONDS

KEYS = "h hint   n next   p previous   t test   q quit"


class Terminal:
    """A terminal in which `tito watch` runs; `screen()` is what stands on it."""

    def __init__(self, root, number):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        env = {**os.environ, "PYTHONUTF8": "1", "NO_COLOR": "1", "TERM": "xterm"}
        for name in ("COLUMNS", "LINES"):
            env.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tito", "watch", number],
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

    def frames(self):
        """All that the screen has shown, each time it was cleared."""
        found = self.text.split("\x1b[2J\x1b[H")[1:]
        return [frame.replace("\r\n", "\n").rstrip("\n") for frame in found]

    def screen(self):
        return (self.frames() or [""])[-1]

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

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)
