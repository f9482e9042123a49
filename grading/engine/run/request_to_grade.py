"""The engine's request to the process that grades one submission."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from grading.engine.sandbox import SandboxLimits
from grading.engine.submission_size_and_time import Limits


@dataclass(frozen=True)
class Request:
    """What the file request.json says.

    Attributes:
        scratch: the folder that `grade_submission.lay_out` made.
        kit: the folder of the assignment's kit.
        sandbox: address of the sandbox that starts the student's processes.
        run_notebooks: see `autograde_settings.Settings`.
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
