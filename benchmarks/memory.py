"""The memory of what a benchmark starts."""

from __future__ import annotations

import os
import threading


class Memory:
    """The peak of resident memory of this process's child, and of all its descendants together,
    measured every half second.
    """

    def __enter__(self) -> Memory:
        self.engine = self.all = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        import psutil

        while not self._stop.wait(0.5):
            total = 0
            for process in psutil.Process().children(recursive=True):
                try:
                    resident = process.memory_full_info().pss
                    if process.ppid() == os.getpid():
                        self.engine = max(self.engine, process.memory_info().rss)
                    total += resident
                except psutil.Error:
                    continue
            self.all = max(self.all, total)

    def __exit__(self, *problem: object) -> None:
        self._stop.set()
        self._thread.join()
