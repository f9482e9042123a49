"""How a class is graded (`Settings`), and the engine's request to the process that grades one
submission (`Request`).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from grading.engine.sandbox import SandboxLimits
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


@dataclass(frozen=True)
class Request:
    """The request to the process that grades one submission: request.json.

    Attributes:
        scratch: the folder that `grade_submission.lay_out` made.
        kit: the folder of the assignment's kit.
        sandbox: address of the sandbox that starts the student's processes.
        run_notebooks: see `Settings`.
    """

    scratch: Path
    kit: Path
    sandbox: str
    run_notebooks: bool
    limits: Limits

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), default=str), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Request:
        document = json.loads(path.read_text(encoding="utf-8"))
        limits = document["limits"] | {"sandbox": SandboxLimits(**document["limits"]["sandbox"])}
        places = {name: Path(document[name]) for name in ("scratch", "kit")}
        return cls(**document | places | {"limits": Limits(**limits)})
