"""How many submissions, and pages of feedback, are worked on at once if no --jobs is given."""

import os


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
