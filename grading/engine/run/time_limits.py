"""How long a cell, a notebook and the contract tests of one submission may run."""

from __future__ import annotations

from dataclasses import dataclass, field

from grading.engine.sandbox import SandboxLimits
from grading.engine.steps.config import CELL_SECONDS, NOTEBOOK_SECONDS


@dataclass(frozen=True)
class Limits:
    """Seconds of wall time: one cell, all cells of a notebook, one contract test, all of them;
    and what the sandbox allows.
    """

    cell_seconds: float = CELL_SECONDS
    notebook_seconds: float = NOTEBOOK_SECONDS
    test_seconds: float = 10
    contract_seconds: float = 120
    sandbox: SandboxLimits = field(default_factory=SandboxLimits)

    def total_seconds(self, notebooks: int) -> float:
        """After this long a process is ended that did not keep its own limits."""
        return notebooks * (self.notebook_seconds + self.cell_seconds) + self.contract_seconds + 60
