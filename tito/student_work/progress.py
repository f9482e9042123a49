"""What is known of a student's progress with a module, and the next step."""

from dataclasses import dataclass

from tito.console import counted
from tito.notebook.damage import Damage

BAD = ("fail", "error", "timeout", "your_turn")


@dataclass(frozen=True)
class Row:
    """One exercise, or one question.

    Attributes:
        id: the name of its graded cell.
        name: what to ask `tito hint` for.
        state: "passes", "red", "your turn" or "not tested"; of a question "written" or "empty".
        tested: whether its tests ran on the code as it is now.
        stub: the number of the first cell that is still a stub; None where none is.
    """

    id: str
    number: str | None
    name: str
    title: str
    points: float
    state: str
    tested: bool = False
    stub: int | None = None

    @property
    def place(self) -> str:
        """Where its code is still to be written, such as "1b, cell 21"."""
        return f"{self.short}, cell {self.stub}"

    @property
    def label(self) -> str:
        return " ".join(filter(None, [self.number, self.name]))

    @property
    def short(self) -> str:
        return self.number or self.name


@dataclass(frozen=True)
class Progress:
    """Where the student is with one module.

    Attributes:
        state: "not started"; "damaged"; "started": something was not tested since it changed;
            "tested": all was, and something is left to do; "done"; "packed".
        exercises: those that tests grade, in order; a person grades the `questions`.
        passed, tests: how many tests passed when each last ran; None before the first run.
        exported: "no", "yes" or "behind the notebook".
        packed: the same about the zip of `tito submit`.
        problem: why the notebook cannot be read.
        damages: what happened to a notebook that can be read.
        next: the one next step, a command or the place of an exercise that is not written yet; ""
            when nothing is left to do.
        why: what the command is for, where the command does not say it.
    """

    module: str
    title: str
    state: str
    next: str
    why: str = ""
    exercises: tuple[Row, ...] = ()
    questions: tuple[Row, ...] = ()
    passed: int | None = None
    tests: int | None = None
    changed_since_test: bool = False
    exported: str = "no"
    packed: str = "no"
    problem: str | None = None
    damages: tuple[Damage, ...] = ()

    @property
    def passing(self) -> list[Row]:
        return [row for row in self.exercises if row.state == "passes"]

    @property
    def empty(self) -> list[Row]:
        return [row for row in self.questions if row.state == "empty"]

    @property
    def words(self) -> str:
        """Exercises, answers and export, each counted apart, in one line."""
        if self.state in ("not started", "damaged"):
            return self.state
        parts = [counted(len(self.passing), "exercise", "pass", of=len(self.exercises))]
        if self.questions:
            written = len(self.questions) - len(self.empty)
            parts.append(f"{counted(written, 'answer', of=len(self.questions))} written")
        behind = "the export is behind the notebook"
        parts.append({"no": "not exported", "yes": "exported"}.get(self.exported, behind))
        parts += ["not all tested since the last change"] if self.changed_since_test else []
        parts += {"no": [], "yes": ["packed"]}.get(self.packed, ["packed before the last change"])
        return ", ".join(parts)

    @property
    def advice(self) -> str:
        """The last lines of every verb: what is damaged, and the next step."""
        why = f"   # {self.why}" if self.why else ""
        following = f"next: {self.next or 'nothing is left to do'}{why}"
        return "\n".join([*map(str, self.damages), following])
