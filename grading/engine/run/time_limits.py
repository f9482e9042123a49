"""How long a cell, a notebook and the contract tests of one submission may run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from grading.engine.sandbox import SandboxLimits
from grading.engine.steps.config import CELL_SECONDS, NOTEBOOK_SECONDS


@dataclass(frozen=True)
class Limits:
    """Limits of wall time in seconds (for one cell, all cells of a notebook, one contract test, all
    contract tests), and the limits of the sandbox.
    """

    cell_seconds: float = CELL_SECONDS
    notebook_seconds: float = NOTEBOOK_SECONDS
    test_seconds: float = 10
    contract_seconds: float = 120
    sandbox: SandboxLimits = field(default_factory=SandboxLimits)

    def total_seconds(self, notebooks: int) -> float:
        """After this time a process is ended if it has not kept its own limits."""
        return notebooks * (self.notebook_seconds + self.cell_seconds) + self.contract_seconds + 60

    def of_course(self, cell_seconds: float | None) -> Limits:
        """These limits, with a course's own time for a cell where nobody has chosen others."""
        if cell_seconds is None or self != Limits():
            return self
        if cell_seconds == math.inf:
            return replace(self, cell_seconds=self.notebook_seconds)
        whole = max(self.notebook_seconds, 4 * cell_seconds)
        return replace(self, cell_seconds=cell_seconds, notebook_seconds=whole)
