"""How long a test waits for what takes a moment and always comes: an event, the end of a process,
an answer. It is a backstop that ends what hangs, never a judgement: a busy machine is no fault.
What has to be fast is judged by CPU time, by counts, or on a clock of the test's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 600


def until(holds: Callable[[], object]) -> bool:
    """Whether `holds()` came true before patience ended."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
