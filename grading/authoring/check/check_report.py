"""What a check of a module found, and what it counted on the way."""

from dataclasses import dataclass, field

from grading.authoring.variants.check_jobs import Fault

POINTS = {
    1: "every reference earns full marks, in the notebook, on the package and through the pipe",
    2: 'the student edition fails every exercise with "your turn" and earns 0',
    3: "every wrong solution loses points, and the student reads the promise it names",
    4: "every alternative solution earns full marks",
    5: "no answer, hidden test or mark scheme is in modules/ or in the bundle",
    6: "ids, points, minutes, TODOs, hints, tests, questions and laws agree",
    7: "derived files have not drifted, ABOUT.md and the demos run",
    8: "every promise of a Contract is guarded by a test that names it, and the test bites",
}


@dataclass
class Proof:
    """What was found, and what was counted on the way."""

    module: str
    faults: list[Fault] = field(default_factory=list)
    facts: dict[int, str] = field(default_factory=dict)  # point -> "63 wrong solutions"
    seconds: float = 0.0
    stopped: str = ""  # why the points that are not in `facts` were not checked
    unproved: str = ""  # what the mutants on record say, if it is less than it should be
    exercises: list[tuple[str, ...]] = field(default_factory=list)  # rows of EXERCISE_COLUMNS
    promises: list[tuple[str, ...]] = field(default_factory=list)  # rows of PROMISE_COLUMNS

    @property
    def ok(self) -> bool:
        return not self.faults

    def note(self, point: int, fact: str) -> None:
        self.facts[point] = ", ".join(filter(None, [self.facts.get(point), fact]))
