"""The settings of one run of `tito grade autograde`."""

from __future__ import annotations

from dataclasses import dataclass, field

from grading.engine.submission_size_and_time import Limits


@dataclass(frozen=True)
class Settings:
    """How a class is graded.

    Attributes:
        force: also grade unchanged submissions.
        redraw: draw new inputs for the sealed tests; everybody is graded again.
        run_notebooks: also run notebooks whose points are all sealed, only to show their outputs.
        jobs: number of submissions graded at a time on this machine.
        scheduler: address of a Dask scheduler, such as tcp://10.0.0.1:8786; its workers grade
            instead of this machine.
        level: the level of the sandbox (default: the best that works here).
    """

    force: bool = False
    redraw: bool = False
    run_notebooks: bool = False
    jobs: int = 1
    scheduler: str | None = None
    level: str | None = None
    limits: Limits = field(default_factory=Limits)
