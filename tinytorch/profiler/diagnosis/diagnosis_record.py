"""What a diagnosis says, and the speed-up that its fix could give.

The speed-up follows Amdahl (1967): when a share p of the time becomes s times faster, the whole
becomes 1 / ((1 - p) + p / s) times faster. It is an upper bound, because the fix itself takes some
time.
"""

from __future__ import annotations

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """One diagnosis.

    Attributes:
        fix: what to do.
        buys: the largest possible speed-up of the whole (loading and step), 1 or more.
        tried: what was measured with the fix in place; "" where nothing was.
        where: a function, its file and line; "" when none was found.
    """

    kind: str
    sentence: str
    fix: str
    buys: float = 1.0
    tried: str = ""
    noisy: bool = False
    where: str = ""

    def __str__(self) -> str:
        doubt = " (the machine was busy: measure again before you believe it)" if self.noisy else ""
        where = f"\nmost time is spent in {self.where}" if self.where else ""
        tried = f"; {self.tried}" if self.tried else ""
        buys = f" (buys up to {self.buys:.2f}x)" if self.buys > 1 else ""
        return f"{self.kind}: {self.sentence}{doubt}{where}\ntry next: {self.fix}{tried}{buys}"

    @property
    def by_trial(self) -> bool:
        """Whether its gain is that of another setting, which was tried."""
        settings = ("tiny batches", "too few workers", "costly workers")
        return self.kind in settings or "num_workers" in self.tried

    def without_promise(self) -> Diagnosis:
        """The same, for a report that may be wrong."""
        return dataclasses.replace(self, buys=1.0, tried="")


def amdahl(share: float, speedup: float = math.inf) -> float:
    """How many times faster the whole becomes when a `share` of its time becomes `speedup` times
    faster (Amdahl 1967): 1 or more.

    Raises:
        ValueError: share is outside 0..1.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is a fraction from 0 to 1, got {share}")
    rest = 1 - share + share / max(1.0, speedup)
    return 1 / rest if rest else math.inf
